/** A token that is malformed, expired, not signed by the issuer, for another audience, bound, or ended. */
export class InvalidTokenError extends Error {
  override readonly name: string = 'InvalidTokenError';
}

/** The token is bound to a key, and the request does not prove that its sender has it. */
export class InvalidProofError extends InvalidTokenError {
  override readonly name = 'InvalidProofError';
}

/** Whether a token or a permission is still valid cannot be known now. It is not refused, and not allowed. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}
