// Shared by the pages on which users manage their own authenticator apps and passkeys.
import { call, leaveFor } from './calls.js';
import { locale, text } from './texts.js';

const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });

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

/** Makes new recovery codes, as the entries of a list. */
export async function newRecoveryCodes() {
  const { Codes } = await call('RecoveryCodes_Generate', {});
  return Codes.map((code) => {
    const item = document.createElement('li');
    item.append(element('code', code));
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
