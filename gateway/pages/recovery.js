// Signing in with a recovery code of the organisation, whose identity provider does not work.
import { call, failField, find, markInvalid, Refused } from './calls.js';
import { text } from './texts.js';

const [part, code, offer] = ['by-sso-code', 'sso-code', 'use-sso-code'].map(find);

export const isRecovering = () => !part.hidden;

/** Shows or hides the field of the code. */
export function askForCode(isAsked) {
  part.hidden = !isAsked;
  offer.hidden = true;
  code.value = '';
}

/** Offers the field to a user whose organisation may require its own sign-in. */
export function offerCode() {
  offer.hidden = isRecovering();
}

/** Offers the field if the address belongs to an organisation with a sign-in of its own. */
export async function offerCodeTo(Email) {
  // The sign-in with a password says what is wrong.
  const { Redirect } = await call('Sso_Check', { Email }).catch(() => ({ Redirect: '' }));
  if (Redirect !== '') offerCode();
}

/** The fields that the sign-in adds to the request. */
export function readCode() {
  if (!isRecovering()) return {};
  const SsoRecoveryCode = code.value.trim();
  return SsoRecoveryCode === '' ? failField(code, text('recovery.enter')) : { SsoRecoveryCode };
}

/** A refused sign-in with a code. */
export function explainCode(error) {
  if (!isRecovering() || error.code !== 'unauthenticated') return error;
  markInvalid(code);
  return new Refused(error.code, text('recovery.wrong'), error.reason);
}
