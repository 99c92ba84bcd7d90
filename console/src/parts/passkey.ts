// Passkeys with the browser's own API.

/**
 * Whether this page can use passkeys: they belong to a host name, so a browser refuses them on a
 * page with an IP address.
 */
export const canUsePasskeys: boolean =
  typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function' &&
  !/^[\d.]+$|:/.test(location.hostname);

/** No passkey was made or used. */
export class PasskeyError extends Error {
  override readonly name = 'PasskeyError';
  /** present: the device has a passkey of this account already. unused: the user chose none. */
  readonly reason: 'present' | 'unused';

  constructor(reason: 'present' | 'unused', cause: unknown) {
    super(`passkey ${reason}`, { cause });
    this.reason = reason;
  }
}

/** Makes a passkey from the service's options, and returns the browser's answer as JSON text. */
export async function createPasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(options));
  return JSON.stringify(await answerOf(navigator.credentials.create({ publicKey })));
}

/** Asks the user for a passkey, and returns the browser's answer as JSON text. */
export async function askForPasskey(options: string): Promise<string> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(options));
  return JSON.stringify(await answerOf(navigator.credentials.get({ publicKey })));
}

/** @throws PasskeyError */
async function answerOf(credential: Promise<Credential | null>): Promise<Credential | null> {
  try {
    return await credential;
  } catch (error) {
    const isPresent = error instanceof DOMException && error.name === 'InvalidStateError';
    throw new PasskeyError(isPresent ? 'present' : 'unused', error);
  }
}
