// Lists, adds and removes the signed-in user's authenticator apps, and makes recovery codes.
import { call, failField, find, leaveFor, markInvalid, Refused, run, say } from './calls.js';
import { generate } from './lean-qr.js';
import { continueEnrolled, isEnrolling } from './onward.js';
import { button, element, newRecoveryCodes, orSignIn, timesOf } from './records.js';
import { text } from './texts.js';

const parts = ['known', 'scan', 'codes', 'again'].map(find);
const [name, code] = ['name', 'code'].map(find);
const signInPage = `login?return_to=/factors${encodeURIComponent(location.search)}`;

/** The app that waits for its first code. */
let waiting = '';

/** Shows one part of the page and moves the focus there, for screen readers. */
function show(id, focused) {
  for (const part of parts) part.hidden = part.id !== id;
  focused?.focus();
}

const signedIn = (work) => orSignIn(signInPage, () => show('again', find('again-title')), work);

async function list() {
  const { Factors, RecoveryCodesLeft } = await call('Factors_List', {});
  const apps = Factors.filter(({ Kind }) => Kind === 'totp');
  find('list').replaceChildren(...apps.map(entryOf));
  find('none').hidden = apps.length > 0;
  find('spare').hidden = Factors.length === 0;
  find('continue').hidden = !isEnrolling || Factors.length === 0;
  find('left').textContent = String(RecoveryCodesLeft);
  return RecoveryCodesLeft;
}

/** Shows the list with a message. */
async function backWith(message) {
  await list();
  show('known', document.querySelector('h1'));
  say(message);
}

function entryOf(factor) {
  const item = document.createElement('li');
  const about = element('p', timesOf(factor), 'quiet');
  const actions = element('div', '', 'actions');
  actions.append(button(text('records.remove'), factor, () => startRemoving(actions, factor)));
  item.append(element('strong', factor.Name), about, actions);
  return item;
}

/** Asks whether to remove an app. */
function startRemoving(actions, factor) {
  const sure = button(text('records.removeForGood'), factor, () =>
    run(() =>
      signedIn(async () => {
        await call('Factors_Remove', { ID: factor.ID });
        await backWith(text('factors.removed'));
      }),
    ),
  );
  const keep = button(text('records.keep'), factor, () => run(() => backWith('')));
  actions.replaceChildren(sure, keep);
  sure.focus();
}

const svg = (tag, attributes) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

/** The QR code of an address, made in this browser: the secret in it must not go elsewhere. */
function drawn(address) {
  const qr = generate(address);
  const margin = 4;
  const size = qr.size + 2 * margin;
  let dark = '';
  for (let y = 0; y < qr.size; y++)
    for (let x = 0; x < qr.size; x++)
      if (qr.get(x, y)) dark += `M${x + margin} ${y + margin}h1v1h-1z`;
  const image = svg('svg', {
    viewBox: `0 0 ${size} ${size}`,
    role: 'img',
    'aria-label': text('factors.qr'),
    'shape-rendering': 'crispEdges',
  });
  image.append(svg('rect', { width: size, height: size, fill: '#fff' }), svg('path', { d: dark }));
  return image;
}

find('add').addEventListener('submit', (event) => {
  event.preventDefault();
  run(() =>
    signedIn(async () => {
      const Name = name.value.trim();
      if (Name === '') failField(name, text('factors.enterName'));
      const { FactorID, Secret, URI } = await call('Factors_BeginTotp', { Name });
      waiting = FactorID;
      find('qr').replaceChildren(drawn(URI));
      find('key').textContent = Secret.replace(/(.{4})(?=.)/g, '$1 ');
      code.value = '';
      show('scan', find('scan-title'));
    }),
  );
});

find('scan').addEventListener('submit', (event) => {
  event.preventDefault();
  run(() =>
    signedIn(async () => {
      const Code = code.value.replace(/\s/g, '');
      if (!/^\d{6}$/.test(Code)) failField(code, text('second.enterDigits'));
      await call('Factors_ConfirmTotp', { FactorID: waiting, Code }).catch((error) => {
        if (error.messages?.[0] !== 'Code is wrong') throw error;
        markInvalid(code);
        code.select();
        throw new Refused(error.code, text('factors.wrongCode'));
      });
      forget();
      name.value = '';
      if ((await list()) === 0) return showCodes();
      await backWith(text('factors.added'));
    }),
  );
});

/** Removes the secret from the page. */
function forget() {
  waiting = '';
  find('qr').replaceChildren();
  find('key').textContent = '';
}

async function showCodes() {
  find('shown').replaceChildren(...(await newRecoveryCodes()));
  show('codes', find('codes-title'));
}

find('cancel').addEventListener('click', () => {
  forget();
  say('');
  show('known', name);
});
find('renew').addEventListener('click', () => run(() => signedIn(showCodes)));
find('stored').addEventListener('click', () =>
  run(async () => {
    find('shown').replaceChildren();
    await backWith(text('factors.nextSignIn'));
  }),
);
find('continue').addEventListener('click', () => run(continueEnrolled));
// The session goes on: ending it would end those of the user's applications too.
find('sign-in').addEventListener('click', () => run(() => leaveFor(`${signInPage}&again=1`)));

run(() =>
  signedIn(async () => {
    await list();
    show('known');
  }),
);
