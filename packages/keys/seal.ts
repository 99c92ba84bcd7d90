import { Buffer } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { type Log, type Mounted, watchMounted } from '@bailiwick/process';

// Seals secrets at rest: AES-256-GCM with a random 96-bit nonce. Records are sealed with a data key
// of their tenant; data keys are wrapped by a key-encryption key of the ring. Blob: 0x01 ‖ nonce
// (12) ‖ ciphertext ‖ tag (16).
//
// Keys are passed as key objects, made once: for bytes, Node checks the type with exceptions, which
// costs more than the sealing.

const version = 1;

/** Key-encryption keys. The first one wraps, all of them unwrap. */
export type KeyRing = ReadonlyArray<{ id: string; key: Uint8Array }>;

/**
 * Parses a key ring: one `id:base64` a line, 32 bytes each. The first key wraps. @throws for
 * anything else
 */
export function parseKeyRing(text: string): KeyRing {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ring = lines.map((line) => {
    const [id = '', encoded = ''] = line.split(':');
    const key = Buffer.from(encoded, 'base64');
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(id) || key.length !== 32)
      throw new Error('the key ring needs lines of the form id:base64 with 32 bytes each');
    return { id, key };
  });
  if (ring.length === 0) throw new Error('the key ring is empty');
  if (new Set(ring.map(({ id }) => id)).size !== ring.length)
    throw new Error('the key ring names one id twice');
  return ring;
}

/**
 * The current ring of a mounted file, updated in place: do not keep values derived from it for
 * longer than a call.
 */
export function openKeyRing(file: Mounted<string>, log: Log): KeyRing {
  const ring = [...parseKeyRing(file.content)];
  watchMounted(file, log, (text) => void ring.splice(0, ring.length, ...parseKeyRing(text)));
  return ring;
}

/** A sealed value or its key is lost: no repetition opens it. */
export class CannotOpen extends Error {}

/**
 * Seals `plain` with `key`. `context` (tenant, record id, field, key id …) is authenticated: a
 * sealed value that is moved to another row or column does not open.
 */
export function seal(key: Uint8Array, plain: Uint8Array, context: readonly string[]): Buffer {
  const nonce = takeNonce();
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), nonce).setAAD(
    additionalData(context),
  );
  return Buffer.concat([
    Buffer.from([version]),
    nonce,
    cipher.update(plain),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
}

/** Opens a value of {@link seal}. @throws CannotOpen if the key, the context or a single bit differs */
export function open(key: Uint8Array, sealed: Uint8Array, context: readonly string[]): Buffer {
  const blob = Buffer.from(sealed);
  if (blob.length < 29 || blob[0] !== version) throw new CannotOpen('not a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), blob.subarray(1, 13))
    .setAAD(additionalData(context))
    .setAuthTag(blob.subarray(-16));
  try {
    return Buffer.concat([decipher.update(blob.subarray(13, -16)), decipher.final()]);
  } catch (cause) {
    throw new CannotOpen('the sealed value is of another key or place, or damaged', { cause });
  }
}

const keyObjects = new WeakMap<Uint8Array, KeyObject>();

/** The key object of these bytes, which never change. */
function keyObjectOf(key: Uint8Array): KeyObject {
  const cached = keyObjects.get(key);
  if (cached) return cached;
  const keyObject = createSecretKey(key);
  keyObjects.set(key, keyObject);
  return keyObject;
}

const nonceBytes = 12;
let nonces = Buffer.alloc(0);

/** A random nonce. Made many at a time: one call of the generator serves 341 values. */
function takeNonce(): Buffer {
  if (nonces.length < nonceBytes) nonces = randomBytes(4096);
  const nonce = nonces.subarray(0, nonceBytes);
  nonces = nonces.subarray(nonceBytes);
  return nonce;
}

/** Wraps a data key with the ring's first key. */
export function wrapKey(
  ring: KeyRing,
  dataKey: Uint8Array,
  context: readonly string[],
): { kek: string; wrapped: Buffer } {
  const kek = ring[0];
  if (!kek) throw new Error('the key ring is empty');
  return { kek: kek.id, wrapped: seal(kek.key, dataKey, ['dek', kek.id, ...context]) };
}

/** Unwraps a data key of {@link wrapKey} with the ring's key `kekId`. */
export function unwrapKey(
  ring: KeyRing,
  kekId: string,
  wrapped: Uint8Array,
  context: readonly string[],
): Buffer {
  const kek = ring.find(({ id }) => id === kekId);
  if (!kek) throw new CannotOpen(`the key ring has no key ${kekId}`);
  return open(kek.key, wrapped, ['dek', kek.id, ...context]);
}

/**
 * Seals a short text for a purpose that several services share, with a key derived from the ring's
 * first key.
 */
export function sealForPurpose(
  ring: KeyRing,
  purpose: string,
  plain: string,
  context: readonly string[],
): string {
  const kek = ring[0];
  if (!kek) throw new Error('the key ring is empty');
  return `${kek.id}.${seal(purposeKey(kek.key, purpose), Buffer.from(plain), context).toString('base64url')}`;
}

/** Opens a text of {@link sealForPurpose}. */
export function openForPurpose(
  ring: KeyRing,
  purpose: string,
  sealed: string,
  context: readonly string[],
): string {
  const dot = sealed.indexOf('.');
  const kek = ring.find(({ id }) => id === sealed.slice(0, dot));
  if (dot < 0 || !kek) throw new Error('not sealed with a key of this ring');
  return open(
    purposeKey(kek.key, purpose),
    Buffer.from(sealed.slice(dot + 1), 'base64url'),
    context,
  ).toString();
}

/** The id of the ring's first key, which wraps and seals. */
export function firstOf(ring: KeyRing): string {
  const [first] = ring;
  if (!first) throw new Error('the key ring is empty');
  return first.id;
}

const derived = new WeakMap<Uint8Array, Map<string, Buffer>>();

/** A 32-byte key for one purpose, derived from a key of the ring. */
export function purposeKey(key: Uint8Array, purpose: string): Buffer {
  const keysByPurpose = derived.get(key) ?? new Map<string, Buffer>();
  derived.set(key, keysByPurpose);
  const derivedKey =
    keysByPurpose.get(purpose) ??
    Buffer.from(hkdfSync('sha256', key, '', `bailiwick/${purpose}/v1`, 32));
  keysByPurpose.set(purpose, derivedKey);
  return derivedKey;
}

/**
 * The authenticated data of a sealed value: length-prefixed, so that ["ab","c"] and ["a","bc"]
 * differ.
 */
export function additionalData(context: readonly string[]): Buffer {
  const parts = ['seal/v1', ...context];
  const encoded = Buffer.allocUnsafe(
    parts.reduce((total, part) => total + 4 + Buffer.byteLength(part), 0),
  );
  let end = 0;
  for (const part of parts) {
    const length = encoded.write(part, end + 4);
    encoded.writeUInt32BE(length, end);
    end += 4 + length;
  }
  return encoded;
}
