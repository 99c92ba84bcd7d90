// Signing in with a code from a mail, where the installation offers it. The code opens nothing
// without the token that stays on this page.
import { call, failField, find, isDead, markInvalid, Refused, run, say } from './calls.js';
import { getOptions } from './options.js';
import { text } from './texts.js';

const [form, field, offer] = ['mailed', 'mailed-code', 'mail-code'].map(find);
let requestToken = '';

/** Shows the button that asks for a code, if the installation offers codes. */
export async function offerMailedCode() {
  offer.hidden = !(await getOptions()).EmailCode;
}

/** Asks for a code. Returns the field to focus. */
export async function requestMailedCode(Email) {
  ({ RequestToken: requestToken } = await call('Account_RequestCode', { Email }));
  field.value = '';
  return field;
}

async function complete(startAgain) {
  const Code = field.value.trim();
  if (Code === '') return failField(field, text('code.enter'));
  try {
    return await call('Account_LoginWithCode', { RequestToken: requestToken, Code, Cookie: true });
  } catch (error) {
    if (isDead(error)) {
      startAgain();
      throw new Refused(error.code, text('call.startAgain'));
    }
    if (error.code === 'unauthenticated' || error.code === 'invalid_argument') {
      markInvalid(field);
      field.select();
    }
    throw error;
  }
}

/** Handles the part's buttons. `done` gets the answer of the sign-in. */
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
