import process from 'node:process';
import { findDeno } from '@bailiwick/deploy/local/deno.ts';

/** The Deno of the run, or of a test file that runs alone; '' if there is none. */
export const deno =
  process.env['BAILIWICK_TEST_DENO'] ?? (await findDeno(() => {}).catch(() => ''));

export const skip =
  deno === '' && 'NOT TESTED: there is no Deno on the PATH, and fetching it failed';
