// Shared by the pages on which users manage their own authenticator apps and passkeys.
import { call, find, leaveFor, run, say } from './calls.js';
import './language.js';
import { continueEnrolled, isEnrolling, withReturn } from './onward.js';
import { locale, text } from './texts.js';

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const heading = document.querySelector('h1');
const parts = ['known', 'scan', 'codes', 'again'].map(find).filter((part) => part !== null);
const thisPage = location.pathname.split('/').at(-1);
const signInPage = `login?return_to=/${thisPage}${encodeURIComponent(location.search)}`;

/** Shows one part of the page and moves the focus there, for screen readers. */
export function show(id, focused) {
  for (const part of parts) part.hidden = part.id !== id;
  focused?.focus();
}

/** Shows the records as they are now, with a message. `list` reads them. */
export async function backTo(list, message) {
  await list();
  show('known', heading);
  say(message);
}

/** Shows whether there are records, and offers to go on if the user came to add one. */
export function showCount(records, factors = records) {
  find('none').hidden = records.length > 0;
  find('continue').hidden = !isEnrolling || factors.length === 0;
}

/** Runs work whose caller may be signed out, or may have to sign in again for a change. */
export async function signedIn(work) {
  try {
    return await work();
  } catch (error) {
    if (error.code === 'unauthenticated') return leaveFor(signInPage);
    if (!['RECENT_LOGIN_REQUIRED', 'FACTOR_REQUIRED'].includes(error.reason)) throw error;
    return show('again', find('again-title'));
  }
}

/** When an authenticator app or a passkey was added and last used. */
export function timesOf({ CreatedAt, LastUsedAt }) {
  const added = day.format(new Date(CreatedAt));
  return LastUsedAt
    ? text('records.used', { added, used: day.format(new Date(LastUsedAt)) })
    : text('records.neverUsed', { added });
}

export function element(tag, content, className = '') {
  const made = document.createElement(tag);
  made.textContent = content;
  made.className = className;
  return made;
}

/** A button about a record, which its name tells apart from the others. */
export function button(label, { Name }, action) {
  const made = element('button', label, 'plain');
  made.type = 'button';
  made.setAttribute('aria-label', text('records.about', { action: label, name: Name }));
  made.addEventListener('click', action);
  return made;
}

/** Asks in place of a record's buttons whether to remove it: it cannot be undone here. */
export function askToRemove(actions, record, { remove, keep }) {
  const [sure, not] = [
    [text('records.removeForGood'), remove],
    [text('records.keep'), keep],
  ].map(([label, work]) => button(label, record, () => run(() => signedIn(work))));
  actions.replaceChildren(sure, not);
  sure.focus();
}

/** Makes new recovery codes, and shows them. */
export async function showNewCodes() {
  const { Codes } = await call('RecoveryCodes_Generate', {});
  const entries = Codes.map((code) => {
    const item = document.createElement('li');
    item.append(element('code', code));
    return item;
  });
  find('shown').replaceChildren(...entries);
  show('codes', find('codes-title'));
}

/** Removes the recovery codes from the page once the user has stored them. */
export function onStored(next) {
  find('stored').addEventListener('click', () =>
    run(() => {
      find('shown').replaceChildren();
      return next();
    }),
  );
}

find('continue').addEventListener('click', () => run(continueEnrolled));
find('to-account').href = withReturn('login');
// The session goes on: ending it would end those of the user's applications too.
find('sign-in').addEventListener('click', () => run(() => leaveFor(`${signInPage}&again=1`)));
