import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { tokenHash } from '@bailiwick/contract';
import { deadToken } from '@bailiwick/errors';
import { type KeyRing, openForPurpose, sealForPurpose } from '@bailiwick/keys';
import type { Transaction } from '@bailiwick/store';
import { useChallenge } from './queries.ts';

// A challenge is sealed and not stored: opening the sign-in page writes nothing. An answered one is
// stored until it expires.

/** The time to answer a challenge, also for the browser. */
export const challengeMs = 10 * 60_000;
const sealedFor = 'passkey-challenge';

/** The purpose of a challenge, which its answer must have too. */
export type ChallengePurpose = readonly string[];
/** For the sign-in of any user. */
export const forLogin: ChallengePurpose = ['login'];
/** For another factor in an open session. */
export const forStepUp = (sessionId: string): ChallengePurpose => ['step-up', sessionId];
/** For a new passkey of the user of a session. */
export const forRegistration = (userId: string, sessionId: string): ChallengePurpose => [
  'registration',
  userId,
  sessionId,
];

export function createChallenge(ring: KeyRing, purpose: ChallengePurpose): string {
  const random = randomBytes(16).toString('base64url');
  return sealForPurpose(ring, sealedFor, `${Date.now() + challengeMs} ${random}`, purpose);
}

/** A challenge that was answered, not yet used up. */
export type OpenChallenge = { hash: Uint8Array; expiresAt: Date };

/**
 * Reads the challenge of an answer, as WebAuthn encodes it. Throws unless it is one of ours for
 * this purpose and has not expired.
 */
export function readChallenge(
  ring: KeyRing,
  encoded: string,
  purpose: ChallengePurpose,
): OpenChallenge {
  const content = unseal(ring, Buffer.from(encoded, 'base64url').toString(), purpose);
  const expiresAt = new Date(Number.parseInt(content, 10));
  if (expiresAt.getTime() <= Date.now()) throw deadToken();
  // Hashes the content, because base64 has several spellings of one sealed text.
  return { hash: tokenHash(content), expiresAt };
}

function unseal(ring: KeyRing, sealed: string, purpose: ChallengePurpose): string {
  try {
    return openForPurpose(ring, sealedFor, sealed, purpose);
  } catch {
    throw deadToken();
  }
}

/** Uses up a challenge. One of several concurrent calls wins, and the others throw. */
export async function useUp(tx: Transaction, challenge: OpenChallenge): Promise<void> {
  if (!(await useChallenge(tx, challenge))) throw deadToken();
}
