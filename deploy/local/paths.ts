import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(fileURLToPath(import.meta.url), '../../..');

/** Binaries that took time to get. Outside the data folder, so that deleting that stays cheap. */
export const cacheDir = resolve(root, 'node_modules/.cache/bailiwick');
