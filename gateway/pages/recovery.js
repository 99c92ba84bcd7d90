// Signing in with a recovery code of the organisation, whose identity provider does not work.
import { call, failField, hasCode, markInvalid, Refused } from './calls.js';
import { find } from './elements.js';
import { text } from './texts.js';

const part = find('by-sso-code');
const code = find('sso-code', HTMLInputElement);
const offer = find('use-sso-code', HTMLButtonElement);

export const isRecovering = () => !part.hidden;

/**
 * Shows or hides the field of the code.
 * @param {boolean} isVisible
 */
export function askForCode(isVisible) {
  part.hidden = !isVisible;
  offer.hidden = true;
  code.value = '';
}

/** Offers the field to a user whose organisation may require its own sign-in. */
export function offerCode() {
  offer.hidden = isRecovering();
}

/**
 * Offers the field if the address belongs to an organisation with a sign-in of its own.
 * @param {string} Email
 */
export async function offerCodeTo(Email) {
  // The sign-in with a password names the error.
  const { Redirect } = await call('Sso_Check', { Email }).catch(() => ({ Redirect: '' }));
  if (Redirect !== '') offerCode();
}

/** The fields that the sign-in adds to the request. */
export function readCode() {
  if (!isRecovering()) return {};
  const SsoRecoveryCode = code.value.trim();
  return SsoRecoveryCode === '' ? failField(code, text('recovery.enter')) : { SsoRecoveryCode };
}

/**
 * The error of a sign-in with a code.
 * @param {unknown} error
 */
export function explainCode(error) {
  if (!isRecovering() || !hasCode(error, 'unauthenticated')) return error;
  markInvalid(code);
  return new Refused(error.code, text('recovery.wrong'), error.reason);
}
