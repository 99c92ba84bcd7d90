// A mail's link carries the token in the URL fragment, which browsers never send to a server. The
// mail also shows the token, for users who open the page without it. The input is marked as a
// one-time code, so that password managers do not store the token as a user name.
import { call, failField, hasReason, loadAgainBy, markInvalid, Refused, say } from './calls.js';
import { find } from './elements.js';
import { keepFragmentBy } from './language.js';
import { text } from './texts.js';

/** @import { FormOperation } from './page-data.ts' */

const field = find('token', HTMLInputElement);
const inAddress = (name = 'token') => new URLSearchParams(location.hash.slice(1)).get(name) ?? '';
let token = '';
let proof = '';

/**
 * Takes the token from the link or the stored one, or asks for it. Returns "" if it asks.
 * @param {string} [storedToken]
 */
export function takeToken(storedToken = '') {
  proof = inAddress('proof');
  token = inAddress() || storedToken;
  // Hides the token from the address bar.
  history.replaceState(null, '', location.pathname + location.search);
  if (token === '') {
    find('asked').hidden = false;
    field.focus();
    say(text('common.linkIncomplete'), true);
  }
  return token;
}

/** The token from the link, or the one that the user typed. */
export function readToken() {
  const value = token || field.value.trim();
  if (value === '') failField(field, text('common.enterToken'));
  return value;
}

/** The proof in the link of an invitation that it comes from the mail, or "". */
export const readProof = () => proof;

/**
 * Calls an operation with the token.
 * @param {FormOperation | 'TenantInvitations_Accept' | 'TenantInvitations_Decline'} operation
 * @param {Record<string, FormDataEntryValue>} [fields]
 */
export async function callWithToken(operation, fields = {}) {
  const Token = readToken();
  try {
    await call(operation, { ...fields, Token });
  } catch (error) {
    if (token !== '' || !hasReason(error, 'DEAD_TOKEN')) throw error;
    // A typed token may also be mistyped.
    markInvalid(field);
    throw new Refused(error.code, text('common.tokenUnknown'));
  }
}

// Opening another link in this tab changes only the fragment.
addEventListener('hashchange', () => {
  if (inAddress() !== '') location.reload();
});

// A reload needs the token that was removed from the address bar: put it back into the fragment.
const fragment = () => (token === '' ? '' : `#${new URLSearchParams({ token, proof })}`);
loadAgainBy(() => (token === '' ? location.reload() : location.replace(fragment())));
keepFragmentBy(fragment);
