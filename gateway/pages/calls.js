// Shared by the pages that call operations.
import { find, findAll, findIn } from './elements.js';
import { explain, locale, text } from './texts.js';

/** @import { Operations } from '@bailiwick/client/gen/types.ts' */
/** @import { ErrorCode, ErrorReason } from '@bailiwick/client/errors.ts' */
/** @import { ErrorResponse, TextKey } from './texts.js' */
/** @typedef {keyof Operations} Operation */
/** @typedef {ErrorCode | 'unreachable' | 'passkey' | 'invalid_field'} RefusalCode */

const main = findIn(document, 'main');
const outcome = find('outcome');

/** A failed call, with a text for the user. `code` and `reason`: the service's. */
export class Refused extends Error {
  /**
   * @param {RefusalCode} code
   * @param {string} message
   * @param {ErrorReason | ''} [reason]
   */
  constructor(code, message, reason = '') {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

/**
 * @param {unknown} error
 * @param {...RefusalCode} codes
 * @returns {error is Refused}
 */
export const hasCode = (error, ...codes) => error instanceof Refused && codes.includes(error.code);

/**
 * @param {unknown} error
 * @param {...ErrorReason} reasons
 * @returns {error is Refused}
 */
export const hasReason = (error, ...reasons) =>
  error instanceof Refused && error.reason !== '' && reasons.includes(error.reason);

/**
 * Calls an operation relative to this page. Throws Refused if the response is not a success.
 * @template {Operation} Name
 * @param {Name} operation
 * @param {Operations[Name]['request']} body
 * @returns {Promise<Operations[Name]['response']>}
 */
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

/** @satisfies {ErrorTexts} */
const signIn = { SSO_REQUIRED: 'message.organisationSignIn' };
/** @satisfies {ErrorTexts} */
const tooManyApps = { LIMIT_REACHED: 'message.tooManyApps' };
/** @satisfies {ErrorTexts} */
const tooManyPasskeys = { LIMIT_REACHED: 'message.tooManyPasskeys' };

/** @typedef {Partial<Record<ErrorCode | ErrorReason, TextKey>>} ErrorTexts */

/**
 * The texts for the errors of one operation, by Reason or Code.
 * @type {Partial<Record<Operation, ErrorTexts>>}
 */
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

/**
 * The texts for the errors of all operations, by Code.
 * @type {Partial<Record<ErrorCode, TextKey>>}
 */
const errorsOfAll = {
  internal: 'call.ourSide',
  unavailable: 'call.ourSide',
  unauthenticated: 'call.signedOut',
};

/**
 * An API error, with a text for the user.
 * @param {Operation} operation
 * @param {ErrorResponse} answer
 * @param {number} retryAfter
 */
function refusalOf(operation, answer, retryAfter) {
  const { Code, Reason, Params } = answer;
  const own = errorsOf[operation] ?? {};
  const key = own[Reason || Code] ?? own[Code] ?? errorsOfAll[Code];
  const when = retryAfter === 0 ? text('common.later') : inTime(retryAfter);
  return new Refused(Code, key ? text(key, Params) : explain(answer, when), Reason);
}

/**
 * In so many seconds, or in minutes from two minutes on.
 * @param {number} seconds
 */
function inTime(seconds) {
  const format = new Intl.RelativeTimeFormat(locale);
  return seconds < 120
    ? format.format(seconds, 'second')
    : format.format(Math.ceil(seconds / 60), 'minute');
}

/** The sign-in succeeded, but the browser dropped the cookie. */
export const notKept = () => new Refused('unauthenticated', text('call.notKept'));

/** @param {string} message */
export function say(message, failed = false) {
  outcome.textContent = message;
  outcome.classList.toggle('failed', failed);
}

/**
 * Goes to another page. The returned promise never settles, so this page stays busy until then.
 * @param {string | URL} address
 * @returns {Promise<never>}
 */
export function leaveFor(address) {
  location.assign(address);
  return new Promise(() => {});
}

/**
 * Goes to the sign-in of the user's organisation, which returns to a path below the public URL.
 * @param {string} redirect
 * @param {string} returnTo
 */
export function leaveForOrganisation(redirect, returnTo) {
  say(text('call.opening'));
  const target = new URL(redirect);
  // The end of the sign-in validates the path.
  if (returnTo !== '') target.searchParams.set('return_to', returnTo);
  return leaveFor(target);
}

/**
 * The ids of the texts that describe a field on the page.
 * @param {HTMLElement} field
 */
const descriptionsOf = (field) => (field.dataset.about ? [field.dataset.about] : []);

/**
 * Describes a field by the texts of the page, without an error.
 * @param {HTMLElement} field
 */
export function describe(field) {
  if (field.dataset.about) field.setAttribute('aria-describedby', field.dataset.about);
  else field.removeAttribute('aria-describedby');
}

/**
 * Marks a field as invalid and focuses it. The outcome element explains why.
 * @param {HTMLElement} field
 */
export function markInvalid(field) {
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', [...descriptionsOf(field), outcome.id].join(' '));
  field.focus();
}

/**
 * Marks a field as invalid and aborts the running action with a message.
 * @param {HTMLElement} field
 * @param {string} message
 * @returns {never}
 */
export function failField(field, message) {
  markInvalid(field);
  throw new Refused('invalid_field', message);
}

/**
 * Runs a button's action. Only one action runs at a time.
 * @param {() => unknown} action
 */
export function run(action) {
  // Not `disabled`: a disabled button loses the keyboard focus.
  if (main.ariaBusy === 'true') return;
  main.ariaBusy = 'true';
  say('');
  for (const field of findAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    describe(field);
  }
  void finish(action);
}

/**
 * Waits for the action, and says why it failed. Throws all errors but Refused, for the browser's console.
 * @param {() => unknown} action
 */
async function finish(action) {
  try {
    await action();
  } catch (error) {
    say(error instanceof Refused ? error.message : text('call.pageFailed'), true);
    if (!(error instanceof Refused)) throw error;
  } finally {
    main.ariaBusy = 'false';
  }
}

let loadAgain = () => location.reload();

/**
 * Replaces the way this page reloads.
 * @param {() => void} reload
 */
export function loadAgainBy(reload) {
  loadAgain = reload;
}

// The back button may restore a page from the browser's cache: busy for ever, or of another user.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) loadAgain();
});
