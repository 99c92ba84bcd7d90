import { Buffer } from 'node:buffer';
import { createHmac, createSecretKey } from 'node:crypto';
import { createBatch, type Origin, serviceOrigin } from '@bailiwick/contract';
import { type KeyRing, purposeKey } from '@bailiwick/keys';
import { record } from '@bailiwick/outbox';
import type { Database } from '@bailiwick/store';
import {
  deleteSuppression,
  findSuppressions,
  insertSuppression,
  type SuppressionRow,
} from './queries.ts';

// Addresses that a mail server permanently rejected, stored as keyed hashes so that the table
// reveals no address. Every key of the ring is tried: a suppression outlives a key rotation.

const days = 30;

const byWorker = (task: string) => serviceOrigin('notifications', '', task);

export type Suppressions = ReturnType<typeof createSuppressions>;

export function createSuppressions({ database, ring }: { database: Database; ring: KeyRing }) {
  const hashes = (emailKey: string) =>
    ring.map(({ key }) =>
      createHmac('sha256', createSecretKey(purposeKey(key, 'mail-suppression')))
        .update(emailKey)
        .digest(),
    );
  const find = createBatch(
    (addresses: ReadonlyArray<readonly Uint8Array[]>) => findSuppressions(database, addresses),
    { atOnce: 1 },
  );
  const hashOf = (emailKey: string) => hashes(emailKey)[0] ?? Buffer.alloc(0);
  // The audit names the hash: with the address and the key ring an operator can identify the entry.
  const change = (type: string, emailKey: string) => ({
    tenant: '',
    type,
    data: null,
    targets: [{ Type: 'mail_suppression', ID: hashOf(emailKey).toString('hex'), Name: '' }],
  });

  return {
    /**
     * A keyed hash that stands for an address in a table without revealing it. `emailKey` is the
     * normalised address.
     */
    nameOf: (emailKey: string): string => hashOf(emailKey).toString('base64url'),

    find: (emailKey: string): Promise<SuppressionRow | undefined> => find(hashes(emailKey)),

    /** Suppresses an address for 30 days. `code` is the mail server's status code, for this task. */
    add: (emailKey: string, code: number, task: string): Promise<void> =>
      database.transaction({ call: byWorker(task), tenant: null }, async (tx) => {
        await insertSuppression(tx, hashOf(emailKey), code, days);
        record(tx, change('mail_suppression.created', emailKey));
      }),

    /** Lifts the suppression of an address. Records nothing without a suppression. */
    remove: (emailKey: string, origin: Origin): Promise<void> =>
      database.transaction({ call: origin, tenant: null }, async (tx) => {
        if ((await deleteSuppression(tx, hashes(emailKey))) > 0)
          record(tx, change('mail_suppression.deleted', emailKey));
      }),
  };
}
