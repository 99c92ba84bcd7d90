import { randomBytes } from 'node:crypto';

// What a tenant publishes to prove that a domain is its own.

const challengeMs = 7 * 24 * 60 * 60 * 1000;
const label = '_bailiwick-challenge';

/** No name in DNS is longer than 253 characters: so many are left for the domain below the challenge's label. */
export const maxNameLength = 253 - label.length - 1;

export const newChallenge = (): string => randomBytes(32).toString('base64url');
export const challengeEnd = (now: Date): Date => new Date(now.getTime() + challengeMs);

export const txtName = (domain: string): string => `${label}.${domain}`;
export const txtValue = (challenge: string): string => `bailiwick-verify=${challenge}`;
