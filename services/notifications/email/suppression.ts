import { Buffer } from 'node:buffer';
import { createHmac } from 'node:crypto';
import { serviceCaller } from '@bailiwick/shared/caller.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { type Origin, recordChange } from '@bailiwick/shared/outbox.ts';
import { type KeyRing, purposeKey } from '@bailiwick/shared/seal.ts';
import {
  deleteSuppression,
  findSuppression,
  insertSuppression,
  type SuppressionRow,
} from './queries.ts';

// Addresses that a mail server has refused for good. They are kept as keyed hashes, so that a list of them is no list of
// addresses. Every key of the ring is tried: a suppression outlives a rotation.

const days = 30;

const byWorker: Origin = { operation: { name: '' }, caller: serviceCaller('notifications') };

export type Suppressions = ReturnType<typeof createSuppressions>;

export function createSuppressions({ database, ring }: { database: Database; ring: KeyRing }) {
  const hashes = (emailKey: string) =>
    ring.map(({ key }) =>
      createHmac('sha256', purposeKey(key, 'mail-suppression')).update(emailKey).digest(),
    );
  const hashOf = (emailKey: string) => hashes(emailKey)[0] ?? Buffer.alloc(0);
  // The audit tells of the record by its hash: who has the address and the key ring can tell which one it was.
  const change = (type: string, emailKey: string) => ({
    tenant: '',
    type,
    data: null,
    targets: [{ Type: 'mail_suppression', ID: hashOf(emailKey).toString('hex'), Name: '' }],
  });

  return {
    /** What stands for an address in a table and tells nobody what it is. `emailKey` is its normalised form. */
    nameOf: (emailKey: string): string => hashOf(emailKey).toString('base64url'),

    find: (emailKey: string): Promise<SuppressionRow | undefined> =>
      findSuppression(database, hashes(emailKey)),

    /** Mails nothing to an address for 30 days. `code` is the mail server's answer. */
    add: (emailKey: string, code: number): Promise<void> =>
      database.transaction(null, async (em) => {
        await insertSuppression(em, hashOf(emailKey), code, days);
        recordChange(em, byWorker, change('mail_suppression.created', emailKey));
      }),

    /** Mails to an address again. Where nothing was suppressed nothing is recorded. */
    remove: (emailKey: string, origin: Origin): Promise<void> =>
      database.transaction(null, async (em) => {
        if ((await deleteSuppression(em, hashes(emailKey))) > 0)
          recordChange(em, origin, change('mail_suppression.deleted', emailKey));
      }),
  };
}
