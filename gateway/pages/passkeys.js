// Lists, adds, renames and removes the signed-in user's passkeys.
import { call, failField, run, say } from './calls.js';
import { find, findIn } from './elements.js';
import { makePasskey, supported } from './passkey.js';
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

/** @import { Passkey } from '@bailiwick/client/gen/types.ts' */

const name = find('name', HTMLInputElement);

async function list() {
  /** @type {Passkey[]} */
  const passkeys = [];
  let Cursor = '';
  do {
    const { Page } = await call('Passkeys_List', { Page: { Cursor } });
    passkeys.push(...Page.Items);
    Cursor = Page.NextCursor;
  } while (Cursor !== '');
  find('list').replaceChildren(...passkeys.map(entryOf));
  showCount(passkeys);
  find('add').hidden = !supported;
}

/** @param {string} message */
const backWith = (message) => backTo(list, message);

/** @param {Passkey} passkey */
function entryOf(passkey) {
  const item = document.createElement('li');
  const title = element('strong', passkey.Name);
  const rename = button(text('passkeys.rename'), passkey, () => startRenaming(item, passkey));
  const actions = element('div', '', 'actions');
  const remove = button(text('records.remove'), passkey, () => startRemoving(actions, passkey));
  actions.append(rename, remove);
  item.append(title, element('p', detailsOf(passkey), 'quiet'), actions);
  return item;
}

/** @param {Passkey} passkey */
const detailsOf = (passkey) =>
  [timesOf(passkey), ...(passkey.BackedUp ? [text('records.copied')] : [])].join(' · ');

/**
 * Replaces an entry's buttons with a field for its name.
 * @param {HTMLElement} item
 * @param {Passkey} passkey
 */
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
        const newName = field.value.trim();
        if (newName === '') failField(field, text('passkeys.enterNewName'));
        await call('Passkeys_Rename', { ID, Name: newName });
        await backWith(text('passkeys.renamed'));
      }),
    );
  });
  findIn(item, '.actions').replaceChildren(form);
  field.select();
}

/**
 * @param {HTMLElement} actions
 * @param {Passkey} passkey
 */
const startRemoving = (actions, passkey) =>
  askToRemove(actions, passkey, {
    remove: async () => {
      await call('Passkeys_Delete', { ID: passkey.ID });
      await backWith(text('passkeys.removed'));
    },
    keep: () => backWith(''),
  });

onStored(() => backWith(''));
find('add').addEventListener('submit', (event) => {
  event.preventDefault();
  run(() =>
    signedIn(async () => {
      const Name = name.value.trim();
      if (Name === '') failField(name, text('passkeys.enterName'));
      const Credential = await makePasskey();
      await call('Passkeys_FinishRegistration', { Credential, Name });
      name.value = '';
      await backWith(text('passkeys.added'));
      const { RecoveryCodesLeft } = await call('Factors_List', {});
      // Without codes a lost passkey would lock the user out.
      if (RecoveryCodesLeft === 0) await showNewCodes();
    }),
  );
});

run(() =>
  signedIn(async () => {
    await list();
    show('known');
    if (!supported) say(text('passkeys.unsupported'));
  }),
);
