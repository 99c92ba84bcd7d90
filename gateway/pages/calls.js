// Shared by the pages that call operations.
import { explain, locale, text } from './texts.js';

export const find = (id) => document.getElementById(id);

const main = document.querySelector('main');
const outcome = find('outcome');

/** A failed call, with a text for the user. `code` and `reason`: the service's. */
export class Refused extends Error {
  constructor(code, text, reason = '') {
    super(text);
    this.code = code;
    this.reason = reason;
  }
}

/** Whether the password was right but the address is not verified yet. */
export const isUnverified = ({ reason }) => reason === 'EMAIL_NOT_VERIFIED';

/** Whether a one-time token was rejected. */
export const isDead = ({ reason }) => reason === 'DEAD_TOKEN';

/** Calls an operation relative to this page. Throws Refused if the response is not a success. */
export async function call(operation, body) {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  let response;
  let answer;
  try {
    response = await fetch(operation, options);
    answer = await response.json();
  } catch {
    // No response, or a proxy's HTML error page.
    throw new Refused('unreachable', text('call.unreachable'));
  }
  if (!response.ok)
    throw refusalOf(operation, answer, Number(response.headers.get('retry-after') ?? 0));
  return answer;
}

const signIn = { SSO_REQUIRED: 'message.organisationSignIn' };
const tooManyApps = { LIMIT_REACHED: 'message.tooManyApps' };
const tooManyPasskeys = { LIMIT_REACHED: 'message.tooManyPasskeys' };

/** The texts for the errors of one operation, by Reason or Code. */
const errorsOf = {
  Account_RequestCode: signIn,
  Account_Login: { ...signIn, unauthenticated: 'call.wrongLogin' },
  Account_LoginWithCode: { ...signIn, unauthenticated: 'call.wrongMailedCode' },
  Account_CompleteLogin: { ...signIn, unauthenticated: 'call.wrongCode' },
  Account_FinishPasskeyLogin: {
    ...signIn,
    unauthenticated: 'call.wrongPasskey',
    DEAD_TOKEN: 'call.tookLong',
  },
  // The session is valid, so a wrong answer is not 401 here.
  Account_CompleteStepUp: { permission_denied: 'call.wrongCode' },
  Account_IssueCode: { failed_precondition: 'call.returnForeign' },
  Factors_BeginTotp: tooManyApps,
  Factors_ConfirmTotp: tooManyApps,
  Passkeys_BeginRegistration: tooManyPasskeys,
  Passkeys_FinishRegistration: { ...tooManyPasskeys, DEAD_TOKEN: 'call.tookLong' },
};

/** The texts for the errors of all operations, by Code. */
const errorsOfAll = {
  internal: 'call.ourSide',
  unavailable: 'call.ourSide',
  unauthenticated: 'call.signedOut',
};

/** An API error, with a text for the user. */
function refusalOf(operation, answer, retryAfter) {
  const { Code, Reason, Params } = answer;
  const own = errorsOf[operation] ?? {};
  const key = own[Reason] ?? own[Code] ?? errorsOfAll[Code];
  const when = retryAfter === 0 ? text('common.later') : inTime(retryAfter);
  return new Refused(Code, key ? text(key, Params) : explain(answer, when), Reason);
}

/** In so many seconds, or in minutes from two minutes on. */
const inTime = (seconds) =>
  new Intl.RelativeTimeFormat(locale).format(
    ...(seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute']),
  );

/** The sign-in succeeded, but the browser dropped the cookie. */
export const notKept = () => new Refused('unauthenticated', text('call.notKept'));

export function say(message, failed = false) {
  outcome.textContent = message;
  outcome.classList.toggle('failed', failed);
}

/** Goes to another page. The returned promise never settles, so this page stays busy until then. */
export function leaveFor(address) {
  location.assign(address);
  return new Promise(() => {});
}

/** Goes to the sign-in of the user's organisation, which returns to a path below the public URL. */
export function leaveForOrganisation(redirect, returnTo) {
  say(text('call.opening'));
  const target = new URL(redirect);
  // The end of the sign-in validates the path.
  if (returnTo !== '') target.searchParams.set('return_to', returnTo);
  return leaveFor(target);
}

/** The ids of the texts that describe a field on the page. */
const aboutOf = (field) => (field.dataset.about ? [field.dataset.about] : []);

/** Describes a field by the texts of the page, without an error. */
export function describe(field) {
  if (field.dataset.about) field.setAttribute('aria-describedby', field.dataset.about);
  else field.removeAttribute('aria-describedby');
}

/** Marks a field as invalid and focuses it. The outcome element explains why. */
export function markInvalid(field) {
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', [...aboutOf(field), outcome.id].join(' '));
  field.focus();
}

/** Marks a field as invalid and aborts the running action with a message. */
export function failField(field, message) {
  markInvalid(field);
  throw new Refused('invalid_field', message);
}

/** Runs a button's action. Only one action runs at a time. */
export async function run(work) {
  // Not `disabled`: a disabled button loses the keyboard focus.
  if (main.ariaBusy === 'true') return;
  main.ariaBusy = 'true';
  say('');
  for (const field of document.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    describe(field);
  }
  try {
    await work();
  } catch (error) {
    say(error instanceof Refused ? error.message : text('call.pageFailed'), true);
    if (!(error instanceof Refused)) throw error;
  } finally {
    main.ariaBusy = 'false';
  }
}

let loadAgain = () => location.reload();

/** Replaces the way this page reloads. */
export function loadAgainBy(way) {
  loadAgain = way;
}

// The back button may restore a page from the browser's cache: busy for ever, or of another user.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) loadAgain();
});
