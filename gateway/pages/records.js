// Shared by the pages on which users manage their own authenticator apps and passkeys.
import { call, leaveFor } from './calls.js';

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** When an authenticator app or a passkey was added and last used. */
export function timesOf({ CreatedAt, LastUsedAt }) {
  const used = LastUsedAt ? `last used ${day.format(new Date(LastUsedAt))}` : 'not used yet';
  return `Added ${day.format(new Date(CreatedAt))}, ${used}`;
}

export function element(tag, text, className = '') {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = className;
  return made;
}

/** A button about a record, which its name tells apart from the others. */
export function button(text, { Name }, action) {
  const made = element('button', text, 'plain');
  made.type = 'button';
  made.setAttribute('aria-label', `${text}: ${Name}`);
  made.addEventListener('click', action);
  return made;
}

/** Makes new recovery codes, as the entries of a list. */
export async function newRecoveryCodes() {
  const { Codes } = await call('RecoveryCodes_Generate', {});
  return Codes.map((text) => {
    const item = document.createElement('li');
    item.append(element('code', text));
    return item;
  });
}

/** Runs work whose caller may be signed out, or may have to sign in again for a change. */
export async function orSignIn(signInPage, askAgain, work) {
  try {
    return await work();
  } catch (error) {
    if (error.code === 'unauthenticated') return leaveFor(signInPage);
    if (!/recent login required|second factor required/.test(error.messages?.[0] ?? ''))
      throw error;
    return askAgain();
  }
}
