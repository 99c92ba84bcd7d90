// Signs in with a cookie. The address comes first: it decides whether the user signs in here or at
// their organisation.
import {
  call,
  failField,
  find,
  isUnverified,
  leaveFor,
  leaveForOrganisation,
  markInvalid,
  notKept,
  run,
  say,
} from './calls.js';
import { forgetLocale, useLocaleOf } from './language.js';
import { offerMailedCode, onMailedCode, requestMailedCode } from './mailed-code.js';
import { askForPasskey, offerPasskeys, signInWith, stopOffering, supported } from './passkey.js';
import { onSecondFactor, startSecondFactor } from './second-factor.js';
import { isLinking, isStale, linkIdentity, returnAfter, showProviders } from './social.js';
import { locale, text } from './texts.js';

const parts = ['entry', 'mailed', 'second', 'confirm', 'known'].map(find);
const [entry, email, password] = ['entry', 'email', 'password'].map(find);
const heading = document.querySelector('h1');
const query = new URLSearchParams(location.search);
const returnTo = query.get('return_to') ?? '';

/**
 * The URL of a path below the public URL, or undefined. Everything else could lead to another site,
 * including backslashes, which browsers read as slashes, and tabs and line breaks, which they drop.
 */
function onwardTo(path) {
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(path)) return undefined;
  const base = new URL('.', location.href);
  const target = URL.canParse(`.${path}`, base) ? new URL(`.${path}`, base) : base;
  return target.origin === base.origin ? target.href : undefined;
}
const onward = onwardTo(returnTo);

/**
 * Leaves for the page or application that the user came for. The service decides which applications
 * are allowed, and adds a code to their address. Does nothing if there is nowhere to go on to.
 */
async function goOn() {
  await linkIdentity();
  if (onward) return leaveFor(onward);
  const { Redirect } = await call('Account_IssueCode', { ReturnTo: returnTo });
  if (Redirect !== '') await leaveFor(Redirect);
}

/** Shows one part of the page and moves the focus there, for screen readers. */
function show(id, title, focused) {
  for (const part of parts) part.hidden = part.id !== id;
  for (const place of document.querySelectorAll('[data-address]')) place.textContent = email.value;
  heading.textContent = title;
  document.title = title;
  focused?.focus();
}

function askForAddress() {
  password.value = '';
  email.readOnly = false;
  find('secret').hidden = true;
  find('instead').hidden = true;
  find('with-password').hidden = false;
  find('with-passkey').hidden = !supported;
  entry.querySelector('[type=submit]').textContent = text('common.continue');
  show('entry', text('common.signIn'), email);
  offerPasskeys((credential) => run(() => signInByPasskey(credential)));
}

// The address stays in the form, so that password managers associate the password with it.
function askForPassword() {
  email.readOnly = true;
  find('secret').hidden = false;
  find('instead').hidden = false;
  find('with-password').hidden = true;
  find('with-passkey').hidden = true;
  entry.querySelector('[type=submit]').textContent = text('common.signIn');
  show('entry', text('common.signIn'), password);
}

function readAddress() {
  email.value = email.value.trim();
  if (email.value === '') failField(email, text('login.enterEmail'));
}

async function check() {
  readAddress();
  const { Redirect } = await call('Sso_Check', { Email: email.value }).catch((error) => {
    if (error.code === 'invalid_argument') failField(email, text('login.wholeEmail'));
    throw error;
  });
  if (Redirect === '') return askForPassword();
  return leaveForOrganisation(Redirect, returnAfter);
}

async function signIn() {
  if (password.value === '') return failField(password, text('login.enterPassword'));
  let answer;
  try {
    answer = await call('Account_Login', {
      Email: email.value,
      Password: password.value,
      Cookie: true,
    });
  } catch (error) {
    if (isUnverified(error)) return show('confirm', text('common.signIn'), find('confirm-title'));
    if (entry.hidden) askForPassword();
    if (error.code === 'unauthenticated' || error.code === 'invalid_argument') {
      markInvalid(password);
      password.select();
    }
    throw error;
  }
  password.value = '';
  await goOnWith(answer);
}

/** Asks for the second factor, if it is due. */
async function goOnWith(answer) {
  // A gateway of the previous version sends none.
  if (answer.Challenge) return show('second', text('common.signIn'), startSecondFactor(answer));
  await finish();
}

async function signInByPasskey(credential) {
  await signInWith(credential).catch((error) => {
    // The browser offers a passkey once.
    askForAddress();
    throw error;
  });
  await finish();
}

/** Leaves for the page or application that the user came for, or shows the account. */
async function finish() {
  stopOffering();
  const refusal = await goOn().catch((error) => error);
  if (!(await welcome())) {
    askForAddress();
    throw notKept();
  }
  heading.focus();
  if (refusal) throw refusal;
}

/** Shows the signed-in user; returns false without a session. */
async function welcome() {
  try {
    const { User, Tenants, Assurance } = await call('Account_Get', {});
    useLocaleOf(User);
    email.value = User.Email;
    find('tenants').hidden = Tenants.length === 0;
    find('tenants')
      .querySelector('ul')
      .replaceChildren(...Tenants.map((tenant) => entryOf(tenant, Assurance)));
    find('passkeys').hidden = !supported;
    find('onward').hidden = !onward && !/^https?:/.test(returnTo);
    show('known', text('login.signedIn'));
    return true;
  } catch (error) {
    if (error.code === 'unauthenticated') return false;
    throw error;
  }
}

/** A tenant, with the factor that it requires and that the sign-in lacks. */
function entryOf({ Name, Slug, RequireFactor, FactorRequiredFrom }, assurance) {
  const item = document.createElement('li');
  item.textContent = Name || Slug;
  const isMet =
    assurance === 'phishing_resistant' ||
    (RequireFactor === 'any' ? assurance === 'aal2' : RequireFactor !== 'phishing_resistant');
  if (isMet) return item;
  const from = new Date(FactorRequiredFrom ?? 0);
  const [now, later] =
    RequireFactor === 'any'
      ? ['login.needsFactor', 'login.needsFactorFrom']
      : ['login.needsPasskey', 'login.needsPasskeyFrom'];
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(from);
  const note = document.createElement('p');
  note.className = 'quiet';
  note.textContent = from > new Date() ? text(later, { date }) : text(now);
  item.append(note);
  return item;
}

entry.addEventListener('submit', (event) => {
  event.preventDefault();
  run(email.readOnly ? signIn : check);
});
// For users whose organisation's sign-in fails or is lifted. The service decides whether a password
// is allowed.
find('with-password').addEventListener('click', () =>
  run(async () => {
    readAddress();
    say('');
    askForPassword();
  }),
);
find('with-passkey').addEventListener('click', () =>
  run(async () => {
    const credential = await askForPasskey().catch((error) => {
      askForAddress();
      throw error;
    });
    await signInByPasskey(credential);
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
    await call('Account_RequestPasswordReset', { Email: email.value });
    // The same text for an address without an account, so as not to reveal accounts.
    say(text('login.resetMailed'));
  }),
);
find('mail-code').addEventListener('click', () =>
  run(async () => {
    say('');
    show('mailed', text('common.signIn'), await requestMailedCode(email.value));
  }),
);
onMailedCode(email, goOnWith, askForPassword);
for (const id of ['other', 'back', 'leave-mailed']) {
  find(id).addEventListener('click', () => {
    say('');
    askForAddress();
    email.select();
  });
}
onSecondFactor(finish, askForPassword);
find('leave-second').addEventListener('click', () => {
  say('');
  askForAddress();
  email.select();
});
find('onward').addEventListener('click', () => run(goOn));
find('sign-out').addEventListener('click', () =>
  run(async () => {
    await call('Account_Logout', {}).catch((error) => {
      // The session has already ended.
      if (error.code !== 'unauthenticated') throw error;
    });
    email.value = '';
    askForAddress();
    forgetLocale();
    say(text('login.signedOut'));
  }),
);

// Without an answer the password remains.
void offerMailedCode().catch(() => {});
run(async () => {
  const buttons = showProviders();
  // A page that needs a recent sign-in asks for another one.
  const isAgain = query.has('again');
  const known =
    !isAgain &&
    (await welcome().catch(async (error) => {
      await buttons;
      askForAddress();
      throw error;
    }));
  await buttons;
  if (!known) return askForAddress();
  // Back from another sign-in that the link waited for.
  if (isLinking)
    await goOn().catch((error) => {
      if (!isStale(error)) throw error;
      askForAddress();
      say(text('login.onceMore'));
    });
});
