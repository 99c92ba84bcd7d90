// Lists, adds and removes the signed-in user's authenticator apps, and makes recovery codes.
import { call, failField, hasReason, markInvalid, Refused, run, say } from './calls.js';
import { find } from './elements.js';
import { generate } from './lean-qr.js';
import {
  askToRemove,
  backTo,
  button,
  element,
  onStored,
  show,
  showCount,
  showNewCodes,
  signedIn,
  timesOf,
} from './records.js';
import { text } from './texts.js';

/** @import { Factor } from '@bailiwick/client/gen/types.ts' */

const name = find('name', HTMLInputElement);
const code = find('code', HTMLInputElement);

/** The app that waits for its first code. */
let pendingFactor = '';

async function list() {
  const { Factors, RecoveryCodesLeft } = await call('Factors_List', {});
  const apps = Factors.filter(({ Kind }) => Kind === 'totp');
  find('list').replaceChildren(...apps.map(entryOf));
  showCount(apps, Factors);
  find('spare').hidden = Factors.length === 0;
  find('left').textContent = String(RecoveryCodesLeft);
  return RecoveryCodesLeft;
}

/** @param {string} message */
const backWith = (message) => backTo(list, message);

/** @param {Factor} factor */
function entryOf(factor) {
  const item = document.createElement('li');
  const times = element('p', timesOf(factor), 'quiet');
  const actions = element('div', '', 'actions');
  actions.append(button(text('records.remove'), factor, () => startRemoving(actions, factor)));
  item.append(element('strong', factor.Name), times, actions);
  return item;
}

/**
 * @param {HTMLElement} actions
 * @param {Factor} factor
 */
const startRemoving = (actions, factor) =>
  askToRemove(actions, factor, {
    remove: async () => {
      await call('Factors_Remove', { ID: factor.ID });
      await backWith(text('factors.removed'));
    },
    keep: () => backWith(''),
  });

/**
 * @param {'svg' | 'rect' | 'path'} tag
 * @param {Readonly<Record<string, string>>} attributes
 */
const svg = (tag, attributes) => {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
};

/**
 * The QR code of an address, made in this browser: the secret in it must not go elsewhere.
 * @param {string} address
 */
function imageOf(address) {
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
  image.append(
    svg('rect', { width: `${size}`, height: `${size}`, fill: '#fff' }),
    svg('path', { d: dark }),
  );
  return image;
}

find('add').addEventListener('submit', (event) => {
  event.preventDefault();
  run(() =>
    signedIn(async () => {
      const Name = name.value.trim();
      if (Name === '') failField(name, text('factors.enterName'));
      const { FactorID, Secret, URI } = await call('Factors_BeginTotp', { Name });
      pendingFactor = FactorID;
      find('qr').replaceChildren(imageOf(URI));
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
      const Code = code.value.normalize('NFKC').replace(/[\s-]/g, '');
      if (!/^\d{6}$/.test(Code)) failField(code, text('second.enterDigits'));
      await call('Factors_ConfirmTotp', { FactorID: pendingFactor, Code }).catch((error) => {
        if (!hasReason(error, 'WRONG_CODE')) throw error;
        markInvalid(code);
        code.select();
        throw new Refused(error.code, text('factors.wrongCode'));
      });
      forget();
      name.value = '';
      if ((await list()) === 0) return showNewCodes();
      await backWith(text('factors.added'));
    }),
  );
});

/** Removes the secret from the page. */
function forget() {
  pendingFactor = '';
  find('qr').replaceChildren();
  find('key').textContent = '';
}

find('cancel').addEventListener('click', () => {
  forget();
  say('');
  show('known', name);
});
find('renew').addEventListener('click', () => run(() => signedIn(showNewCodes)));
onStored(() => backWith(text('factors.nextSignIn')));

run(() =>
  signedIn(async () => {
    await list();
    show('known');
  }),
);
