import { Buffer } from 'node:buffer';
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// A passkey provider in software: it makes ES256 keys, and answers as a browser does. A test can
// change every part of an answer before it is signed.

const flag = { present: 1, verified: 4, backupEligible: 8, backedUp: 16, attested: 64 } as const;

/** A passkey on the user's side. */
export type SoftPasskey = {
  id: string;
  key: KeyObject;
  publicKey: Buffer;
  userHandle: string;
  count: number;
};

/** Changes by a hostile browser or authenticator; the default is the page that asked. */
export type Changes = {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  /** The flags of the authenticator data. */
  flags?: number;
  count?: number;
  userHandle?: string;
  id?: string;
  attestation?: Record<string, Cbor>;
  /** Replaces the COSE key of a new passkey. */
  cose?: Map<number, Cbor>;
  format?: string;
  signature?: Buffer;
};

type CreationOptions = { challenge: string; rp: { id: string }; user: { id: string } };
type RequestOptions = { challenge: string; rpId: string };

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const honest = flag.present | flag.verified | flag.backupEligible | flag.backedUp;
export const unverified = honest & ~flag.verified;

/** Makes a passkey for the options of Passkeys_BeginRegistration, and the browser's answer. */
export function createPasskey(
  optionsText: string,
  origin: string,
  changes: Changes = {},
): { passkey: SoftPasskey; credential: string } {
  const options = JSON.parse(optionsText) as CreationOptions;
  const { privateKey: key, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const cose = new Map<number, Cbor>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ]);
  const id = changes.id ?? base64url(randomBytes(32));
  const passkey = {
    id,
    key,
    publicKey: cbor(changes.cose ?? cose),
    userHandle: options.user.id,
    count: 0,
  };
  const rawId = Buffer.from(id, 'base64url');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(rawId.length);
  const attested = Buffer.concat([Buffer.alloc(16), length, rawId, passkey.publicKey]);
  const authData = authenticatorData(options.rp.id, changes, passkey, attested);
  const attestationObject = cbor(
    new Map<string, Cbor>([
      ['fmt', changes.format ?? 'none'],
      ['attStmt', new Map(Object.entries(changes.attestation ?? {}))],
      ['authData', authData],
    ]),
  );
  const response = {
    clientDataJSON: clientData('webauthn.create', options.challenge, origin, changes),
    attestationObject: base64url(attestationObject),
    transports: ['internal', 'hybrid'],
  };
  return { passkey, credential: credentialOf(id, response) };
}

/** A browser's answer to the options of Account_BeginPasskeyLogin. */
export function usePasskey(
  optionsText: string,
  origin: string,
  passkey: SoftPasskey,
  changes: Changes = {},
): string {
  const options = JSON.parse(optionsText) as RequestOptions;
  const clientDataJSON = clientData('webauthn.get', options.challenge, origin, changes);
  const authData = authenticatorData(options.rpId, changes, passkey);
  const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
  const signature =
    changes.signature ?? sign('sha256', Buffer.concat([authData, hash]), passkey.key);
  const response = {
    clientDataJSON,
    authenticatorData: base64url(authData),
    signature: base64url(signature),
    userHandle: changes.userHandle ?? passkey.userHandle,
  };
  return credentialOf(changes.id ?? passkey.id, response);
}

function clientData(type: string, challenge: string, origin: string, changes: Changes): string {
  const { crossOrigin = false } = changes;
  const content = {
    type: changes.type ?? type,
    challenge: changes.challenge ?? challenge,
    origin: changes.origin ?? origin,
    crossOrigin,
  };
  return base64url(JSON.stringify(content));
}

function authenticatorData(
  rpId: string,
  changes: Changes,
  { count }: SoftPasskey,
  attested = Buffer.alloc(0),
): Buffer {
  const rest = Buffer.alloc(5);
  const flags = changes.flags ?? honest;
  rest.writeUInt8(attested.length > 0 ? flags | flag.attested : flags);
  rest.writeUInt32BE(changes.count ?? count, 1);
  const hash = createHash('sha256')
    .update(changes.rpId ?? rpId)
    .digest();
  return Buffer.concat([hash, rest, attested]);
}

const credentialOf = (id: string, response: object) =>
  JSON.stringify({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    authenticatorAttachment: 'platform',
    response,
  });

export type Cbor = number | string | Buffer | readonly Cbor[] | ReadonlyMap<number | string, Cbor>;

/** CBOR (RFC 8949) of the few kinds of values that WebAuthn needs. */
export function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (isMap(value))
    return Buffer.concat([
      head(5, value.size),
      ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)]),
    ]);
  return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
}

const isMap = (value: Cbor): value is ReadonlyMap<number | string, Cbor> => value instanceof Map;

function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
