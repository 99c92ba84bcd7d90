// Signing in with a code from a mail, where the installation offers it. The code opens nothing
// without the token that stays on this page.
import { call, failField, hasCode, hasReason, markInvalid, Refused, run, say } from './calls.js';
import { find } from './elements.js';
import { getOptions } from './options.js';
import { text } from './texts.js';

/** @import { Account_LoginWithCodeRes } from '@bailiwick/client/gen/types.ts' */

const form = find('mailed', HTMLFormElement);
const field = find('mailed-code', HTMLInputElement);
const offer = find('mail-code', HTMLButtonElement);
let requestToken = '';

/** Shows the button that asks for a code, if the installation offers codes. */
export async function offerMailedCode() {
  offer.hidden = !(await getOptions()).EmailCode;
}

/**
 * Asks for a code. Returns the field to focus.
 * @param {string} Email
 */
export async function requestMailedCode(Email) {
  ({ RequestToken: requestToken } = await call('Account_RequestCode', { Email }));
  field.value = '';
  return field;
}

/** @param {() => void} startAgain */
async function complete(startAgain) {
  const Code = field.value.trim();
  if (Code === '') return failField(field, text('code.enter'));
  try {
    return await call('Account_LoginWithCode', { RequestToken: requestToken, Code, Cookie: true });
  } catch (error) {
    if (hasReason(error, 'DEAD_TOKEN')) {
      startAgain();
      throw new Refused(error.code, text('call.startAgain'));
    }
    if (hasCode(error, 'unauthenticated', 'invalid_argument')) {
      markInvalid(field);
      field.select();
    }
    throw error;
  }
}

/**
 * Handles the part's buttons. `done` gets the answer of the sign-in.
 * @param {HTMLInputElement} email
 * @param {(answer: Account_LoginWithCodeRes) => unknown} done
 * @param {() => void} startAgain
 */
export function onMailedCode(email, done, startAgain) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(async () => done(await complete(startAgain)));
  });
  find('mail-again').addEventListener('click', () =>
    run(async () => {
      (await requestMailedCode(email.value)).focus();
      say(text('code.mailedAgain'));
    }),
  );
}
