// Passkeys with the browser's own API.
import { call, hasReason, Refused } from './calls.js';
import { text } from './texts.js';

/**
 * Whether this page can use passkeys: they belong to a host name, so a browser refuses them on a
 * page with an IP address.
 */
export const supported =
  typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === 'function' &&
  !/^[\d.]+$|:/.test(location.hostname);

// The service accepts an answer for ten minutes.
const renewMs = 9 * 60_000;

let offered = new AbortController();
let renewal = 0;

/** Makes a passkey for the signed-in user. Returns the credential as JSON text. */
export async function makePasskey() {
  const { Options } = await call('Passkeys_BeginRegistration', {});
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(Options));
  const credential = await navigator.credentials.create({ publicKey }).catch((error) => {
    throw error.name === 'InvalidStateError'
      ? new Refused('passkey', text('passkeys.present'))
      : explain(error);
  });
  return JSON.stringify(credential);
}

/**
 * Asks the user for a passkey, of these options or of any. Returns the credential as JSON text.
 * @param {string} [optionsJson]
 */
export async function askForPasskey(optionsJson) {
  stopOffering();
  const options = optionsJson ? readOptions(optionsJson) : await requestOptions();
  const credential = await navigator.credentials.get(options).catch((error) => {
    throw explain(error);
  });
  return JSON.stringify(credential);
}

/**
 * Offers the user's passkeys in the list of the address field, for as long as the page is open, and
 * passes the chosen one on. Does nothing in a browser without such lists.
 * @param {(credential: string) => void} use
 */
export async function offerPasskeys(use) {
  stopOffering();
  const { signal } = offered;
  if (!supported || !(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  if (signal.aborted) return;
  renewal = setTimeout(() => offerPasskeys(use), renewMs);
  try {
    const options = await requestOptions();
    if (signal.aborted) return;
    const credential = await navigator.credentials.get({
      ...options,
      mediation: 'conditional',
      signal,
    });
    clearTimeout(renewal);
    use(JSON.stringify(credential));
  } catch {
    // Stopped, or not possible here: the button and the password are left.
  }
}

export function stopOffering() {
  clearTimeout(renewal);
  offered.abort();
  offered = new AbortController();
}

/**
 * Signs in. Reports a passkey that no account has any more to the device.
 * @param {string} Credential
 */
export async function signInWith(Credential) {
  try {
    return await call('Account_FinishPasskeyLogin', { Credential, Cookie: true });
  } catch (error) {
    if (hasReason(error, 'PASSKEY_UNKNOWN')) forget(Credential);
    throw error;
  }
}

async function requestOptions() {
  const { Options } = await call('Account_BeginPasskeyLogin', {});
  return readOptions(Options);
}

/** @param {string} json */
const readOptions = (json) => ({
  publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(json)),
});

/** @param {string} credential */
function forget(credential) {
  const { id: credentialId } = JSON.parse(credential);
  const report = PublicKeyCredential.signalUnknownCredential?.({
    rpId: location.hostname,
    credentialId,
  });
  report?.catch(() => {});
}

/** @param {Error} error */
function explain({ name }) {
  return new Refused(
    'passkey',
    text(
      name === 'NotAllowedError' || name === 'AbortError'
        ? 'passkeys.notUsed'
        : 'passkeys.unsupported',
    ),
  );
}
