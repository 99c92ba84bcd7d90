// The rules of passkeys that need no library.

/** EdDSA, ES256, RS256: each runtime that we support verifies them. */
export const algorithms = [-8, -7, -257];

export type Site = { rpId: string; origin: string };

/** The site of an installation: passkeys of one host name work for its pages only. */
export function siteOf(publicUrl: string): Site {
  const { hostname, origin } = new URL(publicUrl);
  return { rpId: hostname, origin };
}

/** An answer that was refused, and why. */
export class PasskeyRefusal extends Error {
  /** Whether the passkey may be a copy. */
  readonly isCopy: boolean;

  constructor(why: string, isCopy = false) {
    super(why);
    this.name = 'PasskeyRefusal';
    this.isCopy = isCopy;
  }
}

/** The sign count went back: another copy of the key has signed since. */
export const copyRefusal = () =>
  new PasskeyRefusal('its sign count is not higher than before: it may be a copy', true);
