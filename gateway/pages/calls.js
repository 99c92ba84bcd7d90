// What the pages that call operations have in common.
export const find = (id) => document.getElementById(id);

const main = document.querySelector('main');
const outcome = find('outcome');

const capital = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const sentence = (text) => `${capital(text)}${/[.!?]$/.test(text) ? '' : '.'}`;

/** A call that failed, in sentences for the person. `retryAfter` is in seconds, 0 = nothing is known of it. */
export class Refused extends Error {
  constructor(code, messages, retryAfter = 0) {
    super(messages.map(sentence).join(' '));
    this.code = code;
    this.messages = messages;
    this.retryAfter = retryAfter;
  }
}

/** Whether somebody with the right password has to confirm the address first. */
export const isUnverified = ({ code, messages }) =>
  code === 'permission_denied' && messages.includes('email is not verified');

/** Whether a token was refused. */
export const isDead = ({ code, messages }) =>
  code === 'failed_precondition' && messages.includes('the token is not valid any more');

/** Calls an operation below the address of this page. Throws Refused for whatever was not answered with success. */
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
    // No answer, or not one of ours: a proxy tells in HTML that there is nobody behind it.
    throw new Refused('unreachable', [
      'The service cannot be reached. Check your connection, and try again in a moment.',
    ]);
  }
  if (!response.ok)
    throw explain(operation, answer, Number(response.headers.get('retry-after') ?? 0));
  return answer;
}

const wrong = 'The address or the password is wrong. Check both, or ask for a new password.';

/** In words that help, what the service says in its own. */
function explain(operation, { Code, Messages }, retryAfter) {
  if (Code === 'internal' || Code === 'unavailable')
    return new Refused(Code, ['Something went wrong on our side. Try again in a moment.']);
  if (Code === 'unauthenticated')
    return new Refused(Code, [
      operation === 'Account_Login' ? wrong : 'You are not signed in any more. Sign in again.',
    ]);
  // After too many failures waiting does not help, and the message says what does.
  if (
    Code !== 'resource_exhausted' ||
    retryAfter === 0 ||
    Messages.some((text) => /reset the password/.test(text))
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

/** For whoever has just signed in, and is nobody in the next call. */
export const notKept = () =>
  new Refused('unauthenticated', [
    'Your browser has not kept the sign-in. Allow cookies for this site, and sign in again.',
  ]);

export function say(text, failed = false) {
  outcome.textContent = text;
  outcome.classList.toggle('failed', failed);
}

/** Goes to another page. Until that is there, nothing here can be used any more. */
export function leaveFor(address) {
  location.assign(address);
  return new Promise(() => {});
}

/** Goes to the sign-in of the person's organisation, and back from there to a path below the public URL. */
export function leaveForOrganisation(redirect, returnTo) {
  say('Going on to the sign-in of your organisation.');
  const target = new URL(redirect);
  // Whether it may lead there is decided where the sign-in ends.
  if (returnTo !== '') target.searchParams.set('return_to', returnTo);
  return leaveFor(target);
}

/** Moves to the field that is wrong, for which the outcome says why. */
export function blame(field) {
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', outcome.id);
  field.focus();
}

/** Ends what runs, with what is wrong with a field. */
export function complain(field, text) {
  blame(field);
  throw new Refused('blamed', [text]);
}

/** Runs what a button stands for, once at a time. */
export async function run(work) {
  // Not `disabled`: a button that is takes the focus away from whoever uses the keyboard.
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

/** Names another way to load the page again. */
export function loadAgainBy(way) {
  loadAgain = way;
}

// A browser that keeps a page for its back button would show it as it was left: busy for ever, or somebody else's.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) loadAgain();
});
