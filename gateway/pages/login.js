// Signs in with a cookie. The address comes first: it decides whether the user signs in here or at
// their organisation.
import { createAccount, findAccount, findVisitor, signOut } from './account.js';
import {
  call,
  failField,
  hasCode,
  hasReason,
  leaveForOrganisation,
  markInvalid,
  notKept,
  run,
  say,
} from './calls.js';
import { find } from './elements.js';
import { offerMailedCode, onMailedCode, requestMailedCode } from './mailed-code.js';
import { findRequirement, isStepUp, leaveOnward } from './onward.js';
import { getOptions, showApplication } from './options.js';
import { askForPasskey, signInWith, stopOffering } from './passkey.js';
import { explainCode, isRecovering, offerCode, offerCodeTo, readCode } from './recovery.js';
import { onSecondFactor, startSecondFactor } from './second-factor.js';
import {
  askForAddress,
  askForPassword,
  askToRecover,
  askToRegister,
  createsAccount,
  email,
  entry,
  heading,
  onPasskey,
  openRegistration,
  password,
  readAddress,
  registrationIsOpen,
  show,
  signInTitle,
} from './sign-in-form.js';
import { hasChoice, offerApplication, showEnrolment, takeSignedIn, welcome } from './signed-in.js';
import { isLinking, isStale, linkIdentity, returnAfter, showProviders } from './social.js';
import { text } from './texts.js';

/** @import { Account_LoginRes, Account_LoginWithCodeRes } from '@bailiwick/client/gen/types.ts' */

const query = new URLSearchParams(location.search);
/** Leaves for where the user goes on to. Does nothing if there is nowhere to go on to. */
async function goOn() {
  await linkIdentity();
  await leaveOnward();
}

async function check() {
  readAddress();
  if (!(await leftForOrganisation())) askForPassword();
}

/** Whether the user is on the way to the sign-in of their organisation. */
async function leftForOrganisation() {
  const { Redirect } = await call('Sso_Check', { Email: email.value }).catch((error) => {
    if (hasCode(error, 'invalid_argument')) failField(email, text('message.email'));
    throw error;
  });
  if (Redirect === '') return false;
  return leaveForOrganisation(Redirect, returnAfter);
}

async function register() {
  readAddress();
  if (password.value === '') failField(password, text('message.passwordMissing'));
  if (await leftForOrganisation()) return;
  const account = { Email: email.value, Password: password.value };
  await createAccount(account).catch((error) => {
    // The address is valid: Sso_Check has read it.
    if (hasCode(error, 'invalid_argument')) markInvalid(password);
    throw error;
  });
  find('registered').hidden = false;
  show('confirm', text('login.create'), find('confirm-title'));
}

async function signIn() {
  readAddress();
  if (password.value === '') return failField(password, text('login.enterPassword'));
  const code = readCode();
  let answer;
  try {
    answer = await call('Account_Login', {
      Email: email.value,
      Password: password.value,
      Cookie: true,
      ...code,
    });
  } catch (error) {
    if (hasReason(error, 'EMAIL_NOT_VERIFIED'))
      return show('confirm', signInTitle, find('confirm-title'));
    if (entry.hidden) askForPassword();
    if (hasReason(error, 'SSO_REQUIRED')) offerCode();
    if (hasCode(error, 'unauthenticated', 'invalid_argument')) {
      markInvalid(password);
      password.select();
    }
    throw explainCode(error);
  }
  password.value = '';
  find('sso-code', HTMLInputElement).value = '';
  await goOnWith(answer);
}

/**
 * Asks for the second factor, if it is due.
 * @param {Account_LoginRes | Account_LoginWithCodeRes} answer
 */
async function goOnWith(answer) {
  if (answer.Challenge) return show('second', signInTitle, startSecondFactor(answer));
  await finish();
}

/**
 * @param {string} credential
 * @param {() => void} goBack
 */
async function signInByPasskey(credential, goBack = askForAddress) {
  await signInWith(credential).catch((error) => {
    // The browser offers a passkey once.
    goBack();
    throw error;
  });
  await finish();
}

/** Leaves for the page or application that the user came for, or shows the account. */
async function finish() {
  stopOffering();
  const account = await findAccount();
  if (!account) {
    askForAddress();
    throw notKept();
  }
  try {
    // The link is refused later: it needs a recent sign-in.
    await linkIdentity();
    if (await showEnrolment(account)) return;
    if (!hasChoice(account)) await leaveOnward();
  } catch (error) {
    welcome(account);
    heading.focus();
    throw error;
  }
  welcome(account);
  heading.focus();
}

onPasskey((credential) => run(() => signInByPasskey(credential)));
entry.addEventListener('submit', (event) => {
  event.preventDefault();
  if (createsAccount()) run(register);
  else run(email.readOnly || isRecovering() ? signIn : check);
});
// For users whose organisation's sign-in fails or is lifted. The service decides whether a password
// is allowed.
find('with-password').addEventListener('click', () =>
  run(async () => {
    readAddress();
    say('');
    askForPassword();
    await offerCodeTo(email.value);
  }),
);
find('use-sso-code').addEventListener('click', () => {
  say('');
  askToRecover();
});
find('with-passkey').addEventListener('click', () =>
  run(async () => {
    const goBack = email.readOnly ? askForPassword : askForAddress;
    const credential = await askForPasskey().catch((error) => {
      goBack();
      throw error;
    });
    await signInByPasskey(credential, goBack);
  }),
);
find('go-on').addEventListener('click', () =>
  run(async () => {
    await signIn();
    if (!find('confirm').hidden) say(text('login.notConfirmed'), true);
  }),
);
find('again').addEventListener('click', () =>
  run(async () => {
    await call('Account_ResendVerification', { Email: email.value });
    say(text('common.mailedAgain'));
  }),
);
find('forgotten').addEventListener('click', () =>
  run(async () => {
    readAddress();
    await call('Account_RequestPasswordReset', { Email: email.value });
    // The same text for an address without an account, so as not to reveal accounts.
    say(text('login.resetMailed'));
  }),
);
find('mail-code').addEventListener('click', () =>
  run(async () => {
    say('');
    show('mailed', signInTitle, await requestMailedCode(email.value));
  }),
);
onMailedCode(email, goOnWith, askForPassword);
find('register').addEventListener('click', () => {
  say('');
  askToRegister();
});
find('enrol-later').addEventListener('click', () =>
  run(async () => {
    await goOn();
    const account = await findAccount();
    if (account) welcome(account);
    else askForAddress();
  }),
);
for (const id of ['other', 'back', 'leave-mailed', 'leave-second', 'have-account']) {
  find(id).addEventListener('click', () => {
    say('');
    askForAddress();
    email.select();
  });
}
onSecondFactor(finish, () => (isRecovering() ? askToRecover() : askForPassword()));
find('onward').addEventListener('click', () =>
  run(async () => {
    const account = await findAccount();
    if (!account) return askForAddress();
    if (!(await showEnrolment(account))) await goOn();
  }),
);
find('sign-out').addEventListener('click', () =>
  run(async () => {
    await signOut();
    email.value = '';
    askForAddress();
    void showApplication(find('to-app', HTMLAnchorElement));
    say(text('login.signedOut'));
  }),
);

void offerMailedCode();
run(async () => {
  const buttons = showProviders();
  const { Registration, AppURL } = await getOptions();
  if (Registration === 'open' && !isLinking) openRegistration();
  if (AppURL !== '') offerApplication();
  if (takeSignedIn()) return finish();
  // A page that needs a recent sign-in asks for another one.
  const account =
    query.has('again') || query.has('recovery')
      ? undefined
      : await findVisitor().catch(async (error) => {
          await buttons;
          askForAddress();
          throw error;
        });
  await buttons;
  if (query.has('recovery')) return askToRecover();
  if (!account)
    return query.has('register') && registrationIsOpen() ? askToRegister() : askForAddress();
  welcome(account);
  // The service has sent the user for it, and knows best.
  if (isStepUp && (await showEnrolment(account, findRequirement(account)))) return;
  // Back from another sign-in that the link waited for.
  if (isLinking)
    await goOn().catch((error) => {
      if (!isStale(error)) throw error;
      askForAddress();
      say(text('login.onceMore'));
    });
});
