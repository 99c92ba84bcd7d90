import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(import.meta.url), '../../..');

/**
 * Built and fetched binaries. Outside the data folder, so that deleting the data does not repeat
 * the work.
 */
export const cacheDir = resolve(root, 'node_modules/.cache/bailiwick');
