// What the pages that call several operations have in common.
const main = document.querySelector('main');
const outcome = document.querySelector('.outcome');

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
export const isUnverified = ({ code, messages }) => code === 'permission_denied' && messages.includes('email is not verified');

/** Calls an operation below the address of this page. Throws Refused for whatever was not answered with success. */
export async function call(operation, body) {
  const options = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  let response;
  let answer;
  try {
    response = await fetch(operation, options);
    answer = await response.json();
  } catch {
    // No answer, or not one of ours: a proxy tells in HTML that there is nobody behind it.
    throw new Refused('unreachable', ['The service cannot be reached. Check your connection, and try again in a moment.']);
  }
  if (!response.ok) throw new Refused(answer.Code, answer.Messages, Number(response.headers.get('retry-after') ?? 0));
  return answer;
}

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
