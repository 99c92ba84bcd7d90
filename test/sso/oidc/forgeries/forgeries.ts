import { answers } from './answers.ts';
import { addresses, bodies, slow } from './documents.ts';
import type { Forgery } from './forgery.ts';
import { claims, signatures } from './tokens.ts';

// Forgeries by a provider (docs/security.md, 39 to 46). Each is rejected and creates no session, no
// link and no user.

/** The names of the slow forgeries, which run against the module only. */
export const slowForgeries = Object.keys(slow) as ForgeryName[];

const all = { ...signatures, ...claims, ...answers, ...addresses, ...bodies, ...slow };

export type ForgeryName = keyof typeof all;

export const forgeries: Readonly<Record<ForgeryName, Forgery>> = all;
