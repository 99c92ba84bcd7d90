// Lists, adds, renames and removes the signed-in user's passkeys.
import { call, failField, find, leaveFor, run, say } from './calls.js';
import { continueEnrolled, isEnrolling } from './onward.js';
import { makePasskey, supported } from './passkey.js';
import { button, element, newRecoveryCodes, orSignIn, timesOf } from './records.js';
import { text } from './texts.js';

const name = find('name');
const list = find('list');
const signInPage = `login?return_to=/passkeys${encodeURIComponent(location.search)}`;

const signedIn = (work) =>
  orSignIn(
    signInPage,
    () => {
      find('known').hidden = true;
      find('again').hidden = false;
      find('again-title').focus();
    },
    work,
  );

async function show() {
  const passkeys = [];
  let Cursor = '';
  do {
    const { Page } = await call('Passkeys_List', { Page: { Cursor } });
    passkeys.push(...Page.Items);
    Cursor = Page.NextCursor;
  } while (Cursor !== '');
  list.replaceChildren(...passkeys.map(entryOf));
  find('none').hidden = passkeys.length > 0;
  find('add').hidden = !supported;
  find('continue').hidden = !isEnrolling || passkeys.length === 0;
  find('known').hidden = false;
}

function entryOf(passkey) {
  const item = document.createElement('li');
  const title = element('strong', passkey.Name);
  const rename = button(text('passkeys.rename'), passkey, () => startRenaming(item, passkey));
  const remove = button(text('records.remove'), passkey, () => startRemoving(item, passkey));
  const actions = element('div', '', 'actions');
  actions.append(rename, remove);
  item.append(title, element('p', aboutOf(passkey), 'quiet'), actions);
  return item;
}

const aboutOf = (passkey) =>
  [timesOf(passkey), ...(passkey.BackedUp ? [text('records.copied')] : [])].join(' · ');

/** Replaces an entry's buttons with a field for its name. */
function startRenaming(item, { ID, Name }) {
  const form = document.createElement('form');
  const label = element('label', text('passkeys.nameLabel'));
  const field = document.createElement('input');
  Object.assign(field, { value: Name, maxLength: 64, required: true, autocomplete: 'off' });
  field.id = label.htmlFor = `name-${ID}`;
  form.noValidate = true;
  form.append(label, field, element('button', text('passkeys.save')));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(() =>
      signedIn(async () => {
        const wanted = field.value.trim();
        if (wanted === '') failField(field, text('passkeys.enterNewName'));
        await call('Passkeys_Rename', { ID, Name: wanted });
        await show();
        say(text('passkeys.renamed'));
        document.querySelector('h1').focus();
      }),
    );
  });
  item.querySelector('.actions').replaceChildren(form);
  field.select();
}

/** Asks whether to remove an entry: it cannot be undone here. */
function startRemoving(item, passkey) {
  const sure = button(text('records.removeForGood'), passkey, () =>
    run(() =>
      signedIn(async () => {
        await call('Passkeys_Delete', { ID: passkey.ID });
        await show();
        say(text('passkeys.removed'));
        document.querySelector('h1').focus();
      }),
    ),
  );
  const keep = button(text('records.keep'), passkey, () => item.replaceWith(entryOf(passkey)));
  item.querySelector('.actions').replaceChildren(sure, keep);
  sure.focus();
}

/** Shows new recovery codes: without them a lost passkey would lock the user out. */
async function showCodes() {
  find('shown').replaceChildren(...(await newRecoveryCodes()));
  find('known').hidden = true;
  find('codes').hidden = false;
  find('codes-title').focus();
}

find('stored').addEventListener('click', () => {
  find('shown').replaceChildren();
  find('codes').hidden = true;
  find('known').hidden = false;
  say('');
  document.querySelector('h1').focus();
});
find('add').addEventListener('submit', (event) => {
  event.preventDefault();
  run(() =>
    signedIn(async () => {
      const Name = name.value.trim();
      if (Name === '') failField(name, text('passkeys.enterName'));
      const Credential = await makePasskey();
      await call('Passkeys_FinishRegistration', { Credential, Name });
      name.value = '';
      await show();
      say(text('passkeys.added'));
      document.querySelector('h1').focus();
      const { RecoveryCodesLeft } = await call('Factors_List', {});
      if (RecoveryCodesLeft === 0) await showCodes();
    }),
  );
});
find('continue').addEventListener('click', () => run(continueEnrolled));
// The session goes on: ending it would end those of the user's applications too.
find('sign-in').addEventListener('click', () => run(() => leaveFor(`${signInPage}&again=1`)));

run(() =>
  signedIn(async () => {
    await show();
    if (!supported) say(text('passkeys.unsupported'));
  }),
);
