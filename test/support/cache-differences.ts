import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const messages = [
  'a cached value differs, and no revocation explains it',
  'a service has revoked a key that is not expected of it',
];

/**
 * The faults of caches that the processes of a stack have logged. Only under VERIFY_CACHES=true, where
 * each hit of a cache of rights loads afresh and compares (packages/broker/revocation/verify.ts).
 */
export const cacheDifferences = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => messages.some((message) => line.includes(message)))
      .map((line) => `${name}: ${line}`),
  );
