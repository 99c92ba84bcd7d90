// Where applications send their users after they have signed out there: says whether the session of
// this service goes on, and leads back.
import { findVisitor, showAddress, signOut } from './account.js';
import { run, say } from './calls.js';
import { find, findIn, setTitle } from './elements.js';
import { withReturn } from './onward.js';
import { showApplication } from './options.js';
import { text } from './texts.js';

/** @import { Account_GetRes } from '@bailiwick/client/gen/types.ts' */

const heading = findIn(document, 'h1');

/** @param {Account_GetRes} [account] */
function show(account) {
  find('gone').hidden = account !== undefined;
  find('known').hidden = account === undefined;
  showAddress(account?.User.Email ?? '');
  heading.textContent = text(account ? 'login.signedIn' : 'signedOut.title');
  setTitle(heading.textContent);
}

find('sign-out').addEventListener('click', () =>
  run(async () => {
    await signOut();
    show();
    say(text('login.signedOut'));
    heading.focus();
  }),
);

for (const id of ['sign-in', 'to-account']) find(id, HTMLAnchorElement).href = withReturn('login');
void showApplication(find('to-app', HTMLAnchorElement));
run(async () => {
  const account = await findVisitor().catch((error) => {
    // Unknown: the sign-in page shows the account or asks for it.
    find('gone').hidden = false;
    throw error;
  });
  show(account);
});
