// Where applications send their users after they have signed out there: says whether the session of
// this service goes on, and leads back.
import { call, find, run, say } from './calls.js';
import { forgetLocale } from './language.js';
import { withReturn } from './onward.js';
import { showApplication } from './options.js';
import { text } from './texts.js';

const heading = document.querySelector('h1');

function show({ email = '' } = {}) {
  find('gone').hidden = email !== '';
  find('known').hidden = email === '';
  for (const place of document.querySelectorAll('[data-address]')) place.textContent = email;
  heading.textContent = text(email === '' ? 'signedOut.title' : 'login.signedIn');
  document.title = heading.textContent;
}

find('sign-out').addEventListener('click', () =>
  run(async () => {
    await call('Account_Logout', {}).catch((error) => {
      // The session has already ended.
      if (error.code !== 'unauthenticated') throw error;
    });
    forgetLocale();
    show();
    say(text('login.signedOut'));
    heading.focus();
  }),
);

find('sign-in').href = withReturn('login');
void showApplication(find('to-app'));
run(async () => {
  const email = await call('Account_Get', {}).then(
    ({ User }) => User.Email,
    () => '',
  );
  show({ email });
});
