// Shared by the pages on which users manage their own authenticator apps and passkeys.
import { call, hasCode, hasReason, leaveFor, run, say } from './calls.js';
import { find, findAll, findIn } from './elements.js';
import './language.js';
import { continueEnrolled, isEnrolling, withReturn } from './onward.js';
import { locale, text } from './texts.js';

/** @typedef {{ ID: string, Name: string, CreatedAt?: string, LastUsedAt?: string }} FactorRecord */

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const heading = findIn(document, 'h1');
const parts = findAll('#known, #scan, #codes, #again');
const thisPage = location.pathname.split('/').at(-1);
const signInPage = `login?return_to=/${thisPage}${encodeURIComponent(location.search)}`;

/**
 * Shows one part of the page and moves the focus there, for screen readers.
 * @param {string} id
 * @param {HTMLElement} [focus]
 */
export function show(id, focus) {
  for (const part of parts) part.hidden = part.id !== id;
  focus?.focus();
}

/**
 * Shows the records as they are now, with a message. `list` reads them.
 * @param {() => Promise<unknown>} list
 * @param {string} message
 */
export async function backTo(list, message) {
  await list();
  show('known', heading);
  say(message);
}

/**
 * Shows whether there are records, and offers to go on if the user came to add one.
 * @param {readonly unknown[]} records
 * @param {readonly unknown[]} [factors]
 */
export function showCount(records, factors = records) {
  find('none').hidden = records.length > 0;
  find('continue').hidden = !isEnrolling || factors.length === 0;
}

/**
 * Runs an action whose caller may be signed out, or may have to sign in again for a change.
 * @param {() => unknown} action
 */
export async function signedIn(action) {
  try {
    return await action();
  } catch (error) {
    if (hasCode(error, 'unauthenticated')) return leaveFor(signInPage);
    if (!hasReason(error, 'RECENT_LOGIN_REQUIRED', 'FACTOR_REQUIRED')) throw error;
    return show('again', find('again-title'));
  }
}

/**
 * When an authenticator app or a passkey was added and last used.
 * @param {FactorRecord} record
 */
export function timesOf({ CreatedAt, LastUsedAt }) {
  const added = day.format(new Date(CreatedAt ?? 0));
  return LastUsedAt
    ? text('records.used', { added, used: day.format(new Date(LastUsedAt)) })
    : text('records.neverUsed', { added });
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} content
 */
export function element(tag, content, className = '') {
  const node = document.createElement(tag);
  node.textContent = content;
  node.className = className;
  return node;
}

/**
 * A button about a record, which its name tells apart from the others.
 * @param {string} label
 * @param {FactorRecord} record
 * @param {() => void} action
 */
export function button(label, { Name }, action) {
  const node = element('button', label, 'plain');
  node.type = 'button';
  node.setAttribute('aria-label', text('records.about', { action: label, name: Name }));
  node.addEventListener('click', action);
  return node;
}

/**
 * Asks in place of a record's buttons whether to remove it: it cannot be undone here.
 * @param {HTMLElement} actions
 * @param {FactorRecord} record
 * @param {{ remove: () => unknown, keep: () => unknown }} answers
 */
export function askToRemove(actions, record, { remove, keep }) {
  const yes = button(text('records.removeForGood'), record, () => run(() => signedIn(remove)));
  const no = button(text('records.keep'), record, () => run(() => signedIn(keep)));
  actions.replaceChildren(yes, no);
  yes.focus();
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

/**
 * Removes the recovery codes from the page once the user has stored them.
 * @param {() => unknown} next
 */
export function onStored(next) {
  find('stored').addEventListener('click', () =>
    run(() => {
      find('shown').replaceChildren();
      return next();
    }),
  );
}

find('continue').addEventListener('click', () => run(continueEnrolled));
find('to-account', HTMLAnchorElement).href = withReturn('login');
// The session goes on: ending it would end those of the user's applications too.
find('sign-in').addEventListener('click', () => run(() => leaveFor(`${signInPage}&again=1`)));
