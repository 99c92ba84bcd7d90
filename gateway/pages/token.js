// The token of a mail's link comes in the fragment, which is in no address that is sent to a server. Mails show it too, for
// whoever gets to the page without it: then the page asks. Its field is one for codes, so that no password manager takes
// what is in it for the name of an account.
import { blame, call, complain, find, isDead, loadAgainBy, Refused, say } from './calls.js';

const field = find('token');
const inAddress = () => new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
let token = '';

/** Takes the token of the link, or one that was kept, or asks for it. Returns "" if it asks. */
export function takeToken(kept = '') {
  token = inAddress() || kept;
  // A look over the shoulder finds none in the address bar.
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

/** The token of the link, or what was typed in instead. */
export function readToken() {
  const read = token || field.value.trim();
  if (read === '') complain(field, 'Enter the token from the mail.');
  return read;
}

/** Calls an operation with the token. */
export async function callWithToken(operation, fields = {}) {
  const Token = readToken();
  try {
    await call(operation, { ...fields, Token });
  } catch (error) {
    if (token !== '' || !isDead(error)) throw error;
    // It may as well be a slip of the pen.
    blame(field);
    throw new Refused(error.code, [
      'There is no such token, or it is not valid any more. Compare it with the mail.',
    ]);
  }
}

// Another link that is opened in this tab changes nothing but the fragment.
addEventListener('hashchange', () => {
  if (inAddress() !== '') location.reload();
});

// Whatever else loads the page again needs what its address was relieved of: as another link, so to speak.
loadAgainBy(() =>
  token === '' ? location.reload() : location.replace(`#${new URLSearchParams({ token })}`),
);
