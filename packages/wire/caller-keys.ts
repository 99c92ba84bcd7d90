import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

// Parses the key files that sign and verify calls between processes (caller.ts).

const publicKeyForm = /-----BEGIN PUBLIC KEY-----[^-]+-----END PUBLIC KEY-----/g;

/** A process's private key. @throws for anything else */
export const parsePrivateKey = (pem: string): KeyObject =>
  assertEd25519(() => createPrivateKey(pem));

/** The public keys of one process: two during a rotation. @throws for anything else */
export function parsePublicKeys(pem: string): KeyObject[] {
  const blocks =
    pem.replace(publicKeyForm, '').trim() === '' ? (pem.match(publicKeyForm) ?? []) : [];
  return (blocks.length === 0 ? [pem] : blocks).map((one) =>
    assertEd25519(() => createPublicKey(one)),
  );
}

function assertEd25519(read: () => KeyObject): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = read();
  } catch {
    key = undefined; // OpenSSL's message does not help an operator
  }
  if (key?.asymmetricKeyType !== 'ed25519') throw new Error('must hold Ed25519 keys in PEM');
  return key;
}
