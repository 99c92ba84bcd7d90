import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  type VerifiedAuthenticationResponse,
  type VerifiedRegistrationResponse,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { decodeAttestationObject, parseAuthenticatorData } from '@simplewebauthn/server/helpers';
import type { ClientData, LoginAnswer, RegistrationAnswer } from './answers.ts';
import { assertPublicKey } from './public-key.ts';
import type { StoredPasskey } from './queries.ts';
import { algorithms, copyRefusal, PasskeyRefusal, type Site } from './site.ts';

// Verifies passkeys with SimpleWebAuthn. The library decides; the texts here only say to the caller
// why it has refused. Callers load this module with the first passkey: the library costs each start
// 0.1 s and 29 MB.

type Registration = NonNullable<VerifiedRegistrationResponse['registrationInfo']>;

/** Verifies a new passkey. @throws PasskeyRefusal */
export async function verifyRegistration(
  { json, client }: RegistrationAnswer,
  site: Site,
): Promise<Registration> {
  const why = () =>
    whyClient(client, 'webauthn.create', site) ??
    whyData(authDataIn(json.response.attestationObject), site) ??
    'its attestation is malformed';
  if (client.crossOrigin) throw new PasskeyRefusal('it was made in a frame of another site');
  assertNoCertificates(json.response.attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: json,
    expectedChallenge: client.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => {
    throw new PasskeyRefusal(why());
  });
  if (!verified || registrationInfo.credential.id !== json.id)
    throw new PasskeyRefusal(verified ? 'it names another credential' : why());
  assertPublicKey(registrationInfo.credential.publicKey);
  return registrationInfo;
}

/**
 * The page asks for no attestation, so a browser sends none with certificates. Verifying one would
 * request addresses that its certificates name.
 */
function assertNoCertificates(attestationObject: string): void {
  const attestation = tryDecode(() => {
    const object = decodeAttestationObject(bytesOf(attestationObject));
    const format: unknown = object.get('fmt');
    return { format, hasCertificates: object.get('attStmt').get('x5c') !== undefined };
  });
  if (typeof attestation?.format !== 'string')
    throw new PasskeyRefusal('its attestation is malformed');
  const { format, hasCertificates } = attestation;
  if (hasCertificates || (format !== 'none' && format !== 'packed'))
    throw new PasskeyRefusal('attestations with certificates are not accepted');
}

export type VerifiedLogin = VerifiedAuthenticationResponse['authenticationInfo'];

/** Verifies an answer to a sign-in with a stored passkey. @throws PasskeyRefusal */
export async function verifyLogin(
  { json, client }: LoginAnswer,
  { credentialId, publicKey, signCount, userId }: StoredPasskey,
  site: Site,
): Promise<VerifiedLogin> {
  const authenticatorData = bytesOf(json.response.authenticatorData);
  const refusal = () => {
    const why = whyClient(client, 'webauthn.get', site) ?? whyData(authenticatorData, site);
    if (why === undefined && isCountedBack(authenticatorData, signCount)) return copyRefusal();
    return new PasskeyRefusal(why ?? 'its signature is wrong');
  };
  if (client.crossOrigin) throw new PasskeyRefusal('it was used in a frame of another site');
  // It may have been stored by a version that did not check it.
  assertPublicKey(publicKey);
  const { userHandle } = json.response;
  if (userHandle !== undefined && userHandle !== Buffer.from(userId).toString('base64url'))
    throw new PasskeyRefusal('it is for another account');
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: json,
    expectedChallenge: client.challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.rpId,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter: signCount },
  }).catch(() => {
    throw refusal();
  });
  if (!verified) throw refusal();
  return authenticationInfo;
}

function whyClient({ type, origin }: ClientData, expected: string, site: Site): string | undefined {
  if (type !== expected) return `it answers ${type.slice(0, 32)} and not ${expected}`;
  return origin === site.origin ? undefined : 'it was made for a page of another origin';
}

function whyData(authenticatorData: Uint8Array | undefined, { rpId }: Site): string | undefined {
  const parsed =
    authenticatorData && tryDecode(() => parseAuthenticatorData(new Uint8Array(authenticatorData)));
  if (!parsed) return 'its data is malformed';
  const own = createHash('sha256').update(rpId).digest();
  if (!own.equals(parsed.rpIdHash)) return 'it was made for another site (RP ID)';
  if (!parsed.flags.up) return 'the user was not present';
  return parsed.flags.uv ? undefined : 'the user was not verified';
}

function isCountedBack(authenticatorData: Uint8Array, stored: number): boolean {
  const counter =
    tryDecode(() => parseAuthenticatorData(new Uint8Array(authenticatorData)))?.counter ?? 0;
  return (counter > 0 || stored > 0) && counter <= stored;
}

const authDataIn = (attestationObject: string): Uint8Array | undefined =>
  tryDecode(() => decodeAttestationObject(bytesOf(attestationObject)).get('authData'));

const bytesOf = (base64url: string) => new Uint8Array(Buffer.from(base64url, 'base64url'));

function tryDecode<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}
