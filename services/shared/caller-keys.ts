import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

// The keys with which processes sign their calls (caller.ts), as their files hold them.

const publicKeyForm = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** A process's own key. Throws on anything else. */
export const parsePrivateKey = (pem: string): KeyObject =>
  assertEd25519(() => createPrivateKey(pem));

/** The public keys of one process: two while it changes from one to the other. Throws on anything else. */
export function parsePublicKeys(pem: string): KeyObject[] {
  const found =
    pem.replace(publicKeyForm, '').trim() === '' ? (pem.match(publicKeyForm) ?? []) : [];
  return (found.length === 0 ? [pem] : found).map((one) =>
    assertEd25519(() => createPublicKey(one)),
  );
}

function assertEd25519(read: () => KeyObject): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {
    key = undefined; // what OpenSSL says of it would help nobody
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error('must hold Ed25519 keys in PEM');
  return key;
}
