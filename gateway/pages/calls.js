// Shared by the pages that call operations.
export const find = (id) => document.getElementById(id);

const main = document.querySelector('main');
const outcome = find('outcome');

const capital = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const sentence = (text) => `${capital(text)}${/[.!?]$/.test(text) ? '' : '.'}`;

/**
 * A failed call, with a message for the user. `retryAfter` is in seconds, 0 = unknown. `said`: the
 * service's own messages.
 */
export class Refused extends Error {
  constructor(code, messages, retryAfter = 0, said = messages) {
    super(messages.map(sentence).join(' '));
    this.code = code;
    this.messages = messages;
    this.retryAfter = retryAfter;
    this.said = said;
  }
}

/** Whether the password was right but the address is not verified yet. */
export const isUnverified = ({ code, messages }) =>
  code === 'permission_denied' && messages.includes('email is not verified');

/** Whether a one-time token was rejected. */
export const isDead = ({ code, messages }) =>
  code === 'failed_precondition' && messages.includes('the token is not valid any more');

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
    throw new Refused('unreachable', [
      'The service cannot be reached. Check your connection, and try again in a moment.',
    ]);
  }
  if (!response.ok)
    throw explain(operation, answer, Number(response.headers.get('retry-after') ?? 0));
  return answer;
}

const wrongAnswers = {
  Account_Login: 'The address or the password is wrong. Check both, or ask for a new password.',
  Account_LoginWithCode: 'The code is wrong. Check it, or ask for another one.',
  Account_CompleteLogin: 'The code is wrong, or it was used before. Try the next one.',
  Account_FinishPasskeyLogin:
    'This passkey was not accepted. Use another one, or sign in in another way.',
};

/** Translates an API error for the user. */
function explain(operation, { Code, Messages }, retryAfter) {
  if (Code === 'internal' || Code === 'unavailable')
    return new Refused(Code, ['Something went wrong on our side. Try again in a moment.']);
  if (Code === 'unauthenticated')
    return new Refused(
      Code,
      [wrongAnswers[operation] ?? 'You are no longer signed in. Sign in again.'],
      0,
      Messages,
    );
  if (/Passkey/.test(operation) && isDead({ code: Code, messages: Messages }))
    return new Refused(Code, ['That took too long. Try again.']);
  if (operation === 'Account_IssueCode' && Code === 'failed_precondition')
    return new Refused(Code, [
      'The address to return to is not allowed. Start again from your application.',
    ]);
  // After too many failed sign-ins waiting does not help: the message says what to reset.
  if (
    Code !== 'resource_exhausted' ||
    retryAfter === 0 ||
    Messages.some((text) => /\breset\b/.test(text))
  )
    return new Refused(Code, Messages, retryAfter);
  const wait =
    retryAfter < 120
      ? `${retryAfter} second${retryAfter === 1 ? '' : 's'}`
      : `${Math.ceil(retryAfter / 60)} minutes`;
  return new Refused(
    Code,
    [`${Messages[0].replace(', try again later', '')}: try again in ${wait}`],
    retryAfter,
  );
}

/** The sign-in succeeded, but the browser dropped the cookie. */
export const notKept = () =>
  new Refused('unauthenticated', [
    'Your browser has not kept the sign-in. Allow cookies for this site, and sign in again.',
  ]);

export function say(text, failed = false) {
  outcome.textContent = text;
  outcome.classList.toggle('failed', failed);
}

/** Goes to another page. The returned promise never settles, so this page stays busy until then. */
export function leaveFor(address) {
  location.assign(address);
  return new Promise(() => {});
}

/** Goes to the sign-in of the user's organisation, which returns to a path below the public URL. */
export function leaveForOrganisation(redirect, returnTo) {
  say('Opening your organisation’s sign-in page.');
  const target = new URL(redirect);
  // The end of the sign-in validates the path.
  if (returnTo !== '') target.searchParams.set('return_to', returnTo);
  return leaveFor(target);
}

/** Marks a field as invalid and focuses it. The outcome element explains why. */
export function markInvalid(field) {
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', outcome.id);
  field.focus();
}

/** Marks a field as invalid and aborts the running action with a message. */
export function failField(field, text) {
  markInvalid(field);
  throw new Refused('invalid_field', [text]);
}

/** Runs a button's action. Only one action runs at a time. */
export async function run(work) {
  // Not `disabled`: a disabled button loses the keyboard focus.
  if (main.ariaBusy === 'true') return;
  main.ariaBusy = 'true';
  say('');
  for (const field of document.querySelectorAll('[aria-invalid]')) {
    field.removeAttribute('aria-invalid');
    field.removeAttribute('aria-describedby');
  }
  try {
    await work();
  } catch (error) {
    say(error instanceof Refused ? error.message : 'This page has failed. Load it again.', true);
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
