// Where applications send their users after they have signed out there: says whether the session of
// this service goes on, and leads back.
import { findAccount, showAddress, signOut } from './account.js';
import { find, run, say } from './calls.js';
import { withReturn } from './onward.js';
import { showApplication } from './options.js';
import { text } from './texts.js';

const heading = document.querySelector('h1');

function show(account) {
  find('gone').hidden = account !== undefined;
  find('known').hidden = account === undefined;
  showAddress(account?.User.Email ?? '');
  heading.textContent = text(account ? 'login.signedIn' : 'signedOut.title');
  document.title = heading.textContent;
}

find('sign-out').addEventListener('click', () =>
  run(async () => {
    await signOut();
    show();
    say(text('login.signedOut'));
    heading.focus();
  }),
);

for (const id of ['sign-in', 'to-account']) find(id).href = withReturn('login');
void showApplication(find('to-app'));
run(async () => {
  const account = await findAccount().catch((error) => {
    // Unknown: the sign-in page shows the account or asks for it.
    find('gone').hidden = false;
    throw error;
  });
  show(account);
});
