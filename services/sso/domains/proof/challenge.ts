import { randomBytes } from 'node:crypto';

// The TXT record that proves the ownership of a domain.

const challengeMs = 7 * 24 * 60 * 60 * 1000;
/** The record takes a while to publish. The next look-ups follow in queries.ts. */
const firstCheckMs = 15_000;
const label = '_bailiwick-challenge';

/** A DNS name has at most 253 characters, the challenge's label included. */
export const maxNameLength = 253 - label.length - 1;

export const newChallenge = (): string => randomBytes(32).toString('base64url');
export const challengeEnd = (now: Date): Date => new Date(now.getTime() + challengeMs);

export const firstCheck = (now: Date): Date => new Date(now.getTime() + firstCheckMs);

export const txtName = (domain: string): string => `${label}.${domain}`;
export const txtValue = (challenge: string): string => `bailiwick-verify=${challenge}`;
