// Accepts or declines an invitation. A user without an account registers here, confirms the address
// by the link in the mail, and continues in this tab or in the one that the mail opened.
import { createAccount, findVisitor, showAddress } from './account.js';
import { call, hasCode, hasReason, leaveForOrganisation, notKept, run, say } from './calls.js';
import { find, findIn, setTitle } from './elements.js';
import { useLocaleOf } from './language.js';
import { withReturn } from './onward.js';
import { expectNewPassword } from './password.js';
import { onSecondFactor, startSecondFactor } from './second-factor.js';
import { locale, text, write } from './texts.js';
import { callWithToken, readProof, readToken, takeToken } from './token.js';
import { broadcast, clearWaiting, onBroadcast, readWaiting, storeWaiting } from './waiting.js';

const entry = find('entry', HTMLFormElement);
const parts = [find('known'), entry, find('second'), find('confirm')];
const email = find('email', HTMLInputElement);
const password = find('password', HTMLInputElement);

/** The entered credentials, kept until they are used. */
let account = { Email: '', Password: '' };

/**
 * Shows one part of the page and moves the focus there, for screen readers.
 * @param {string} id
 * @param {HTMLElement} [focus]
 */
function show(id, focus) {
  for (const part of parts) part.hidden = part.id !== id;
  find('refuse').hidden = false;
  showAddress(account.Email);
  focus?.focus();
  // A prefilled address gives way to another one.
  if (focus instanceof HTMLInputElement) focus.select();
}

/**
 * @param {string} title
 * @param {string} message
 */
function end(title, message) {
  clearWaiting();
  account = { Email: '', Password: '' };
  for (const part of [...parts, find('asked'), find('refuse')]) part.hidden = true;
  const heading = findIn(document, 'h1');
  heading.textContent = title;
  setTitle(title);
  heading.tabIndex = -1;
  heading.focus();
  say(message);
}

/**
 * Accepts or declines. An invitation that is no longer open is removed from this tab.
 * @param {'TenantInvitations_Accept' | 'TenantInvitations_Decline'} operation
 */
async function answer(operation) {
  try {
    await callWithToken(operation);
  } catch (error) {
    if (hasCode(error, 'failed_precondition')) clearWaiting();
    throw error;
  }
}

async function accept() {
  try {
    await answer('TenantInvitations_Accept');
  } catch (error) {
    // The signed-in account is not the invited one: offer to sign in with another.
    if (hasCode(error, 'permission_denied', 'unauthenticated')) show('entry', email);
    throw error;
  }
  end(text('invitation.welcome'), text('invitation.accepted'));
  // The sign-in page leads on to the tenant's application.
  find('onward', HTMLAnchorElement).href = withReturn('login', { signed_in: '1' });
  find('onward').hidden = false;
}

/** Signs in and accepts, or asks for a missing step first. */
async function enter() {
  let answer;
  try {
    // The session goes into a cookie that no script can read.
    answer = await call('Account_Login', { ...account, Cookie: true });
  } catch (error) {
    if (hasReason(error, 'EMAIL_NOT_VERIFIED')) show('confirm', find('confirm-title'));
    else if (entry.hidden) show('entry', password);
    throw error;
  }
  if (answer.Challenge) return show('second', startSecondFactor(answer));
  await acceptSignedIn();
}

const acceptSignedIn = () =>
  accept().catch((error) => {
    throw hasCode(error, 'unauthenticated') ? notKept() : error;
  });

const isNew = () => new FormData(entry).get('way') === 'register';

entry.addEventListener('change', () => {
  expectNewPassword(password, isNew());
  findIn(entry, '[type=submit]').textContent = text(
    isNew() ? 'invitation.create' : 'invitation.signInAndAccept',
  );
});

entry.addEventListener('submit', (event) => {
  event.preventDefault();
  account = { Email: email.value.trim(), Password: password.value };
  run(async () => {
    // The user may leave for the mail or for the organisation's sign-in.
    storeWaiting(readToken());
    const { Redirect } = await call('Sso_Check', { Email: account.Email });
    if (Redirect !== '') return leaveForOrganisation(Redirect, '/invitation');
    if (!isNew()) return enter();
    await createAccount({
      ...account,
      InvitationToken: readToken(),
      InvitationSecret: readProof(),
    });
    if (readProof() === '') return show('confirm', find('confirm-title'));
    // Without a mail, unless the service does not accept the proof.
    await enter().catch((error) => {
      if (!hasReason(error, 'EMAIL_NOT_VERIFIED')) throw error;
    });
  });
});

// Enter in the token field presses the visible part's first button.
find('asked').addEventListener('submit', (event) => {
  event.preventDefault();
  const part = parts.find(({ hidden }) => !hidden);
  if (part) findIn(part, 'button:not([data-shows])').click();
});

find('accept').addEventListener('click', () => run(accept));
find('go-on').addEventListener('click', () => run(enter));
find('again').addEventListener('click', () =>
  run(async () => {
    await call('Account_ResendVerification', { Email: account.Email });
    say(text('common.mailedAgain'));
  }),
);

/** @param {Event} [event] */
const toEntry = (event) => {
  event?.preventDefault();
  findIn(entry, '[value=sign-in]', HTMLInputElement).checked = true;
  entry.dispatchEvent(new Event('change'));
  say('');
  show('entry', email);
};
find('other').addEventListener('click', toEntry);
find('back').addEventListener('click', toEntry);
find('leave-second').addEventListener('click', toEntry);
onSecondFactor(acceptSignedIn, toEntry);

/** @param {boolean} isOpen */
function ask(isOpen) {
  find('sure').hidden = !isOpen;
  find('decline').hidden = isOpen;
  find('decline').setAttribute('aria-expanded', String(isOpen));
  find(isOpen ? 'really' : 'decline').focus();
}
find('decline').addEventListener('click', () => ask(true));
find('keep').addEventListener('click', () => ask(false));
find('really').addEventListener('click', () =>
  run(async () => {
    await answer('TenantInvitations_Decline');
    end(text('invitation.declined'), text('invitation.closePage'));
  }),
);

// Messages from the tab that the verification mail opened.
onBroadcast(({ ask, verified }) => {
  const waiting = readWaiting();
  if (ask && waiting !== '') broadcast({ token: waiting });
  if (verified && !find('confirm').hidden) {
    say(text('invitation.addressConfirmed'));
    find('go-on').focus();
  }
});

/**
 * Says who invites, to which organisation and with which roles. Without an answer the mail does.
 * @param {string} Token
 */
async function describeInvitation(Token) {
  const { InviterName, TenantName, Email, Roles } = await call('TenantInvitations_Get', { Token });
  const roles = new Intl.ListFormat(locale).format(Roles);
  const offer = InviterName === '' ? 'invitation.offer' : 'invitation.offerBy';
  const values = { inviter: InviterName, tenant: TenantName, roles, email: Email };
  write(find('offer'), offer, values);
  email.value ||= Email;
}

async function start() {
  // Kept in this tab for a reload and for the way back from the mail.
  const token = takeToken(readWaiting());
  if (token !== '') storeWaiting(token);
  if (token !== '') void describeInvitation(token).catch(() => {});
  const visitor = await findVisitor().catch(() => undefined);
  if (!visitor) return show('entry');
  useLocaleOf(visitor.User);
  account.Email = visitor.User.Email;
  show('known');
}
void start();
