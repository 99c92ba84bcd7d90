// A mail's link carries the token in the URL fragment, which browsers never send to a server. The
// mail also shows the token, for users who open the page without it. The input is marked as a
// one-time code, so that password managers do not store the token as a user name.
import { call, failField, find, isDead, loadAgainBy, markInvalid, Refused, say } from './calls.js';

const field = find('token');
const inAddress = (name = 'token') => new URLSearchParams(location.hash.slice(1)).get(name) ?? '';
let token = '';
let proof = '';

/** Takes the token from the link or the stored one, or asks for it. Returns "" if it asks. */
export function takeToken(kept = '') {
  proof = inAddress('proof');
  token = inAddress() || kept;
  // Hides the token from the address bar.
  history.replaceState(null, '', location.pathname);
  if (token === '') {
    find('asked').hidden = false;
    field.focus();
    say(
      'This link is incomplete. Open it again from the mail, or enter the token that the mail shows.',
      true,
    );
  }
  return token;
}

/** The token from the link, or the one that the user typed. */
export function readToken() {
  const read = token || field.value.trim();
  if (read === '') failField(field, 'Enter the token from the mail.');
  return read;
}

/** The proof in the link of an invitation that it comes from the mail, or "". */
export const readProof = () => proof;

/** Calls an operation with the token. */
export async function callWithToken(operation, fields = {}) {
  const Token = readToken();
  try {
    await call(operation, { ...fields, Token });
  } catch (error) {
    if (token !== '' || !isDead(error)) throw error;
    // A typed token may also be mistyped.
    markInvalid(field);
    throw new Refused(error.code, [
      'There is no such token, or it is not valid any more. Compare it with the mail.',
    ]);
  }
}

// Opening another link in this tab changes only the fragment.
addEventListener('hashchange', () => {
  if (inAddress() !== '') location.reload();
});

// A reload needs the token that was removed from the address bar: put it back into the fragment.
loadAgainBy(() =>
  token === '' ? location.reload() : location.replace(`#${new URLSearchParams({ token, proof })}`),
);
