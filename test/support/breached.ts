import { join } from 'node:path';
import { root } from '@bailiwick/deploy/local/paths.ts';

/** A part of a download of breached passwords. */
export const breachedPasswords = join(root, 'test/support/breached-passwords');

/** The password that the shared stacks know from a breach: its hash is in F8CB4.txt. */
export const breachedPassword = 'a passphrase from a breach';
