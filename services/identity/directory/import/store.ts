import { createId } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import { type Database, lockName, lockNames } from '@bailiwick/store';
import { rowOf } from '../../rows.ts';
import { newUser, type UserRow } from '../../users/entities.ts';
import { addNewUsers } from '../../users/queries.ts';
import { recordUser } from '../../users/records.ts';
import { matchStored, storedKey } from './match.ts';
import { type ImportRow, isNew } from './rows.ts';

/** The stored forms of the password hashes, by row. */
export type Hashes = ReadonlyMap<ImportRow, string>;

/**
 * Creates the missing users of the rows in one transaction. `mayStore` is asked in it, after the
 * rows are matched again. Returns its answer: false means that nothing is stored.
 */
export async function storeUsers(
  database: Database,
  rows: readonly ImportRow[],
  { hashes, batchId, mayStore }: { hashes: Hashes; batchId: string; mayStore: () => boolean },
  call: Call,
): Promise<boolean> {
  // One import at a time: two that bring the same ExternalID would each miss the other's user, and
  // the locks of many would fill the table of locks that the database server has.
  return database.transaction({ call, tenant: null, row: rowOf.import() }, async (tx) => {
    await lockName(tx, rowOf.import());
    const emails = rows.flatMap(({ email }) => (email ? [email.key, email.unmappedKey] : []));
    await lockNames(
      tx,
      emails.map((key) => rowOf.account(key)),
    );
    const usersByKey = await matchStored(tx.query, rows, batchId);
    if (!mayStore()) return false;
    const users: UserRow[] = [];
    for (const row of rows.filter(isNew)) {
      const user = userOf(row, usersByKey, { batchId, passwordHash: hashes.get(row) ?? null });
      if (!user) continue;
      row.userId = user.id;
      users.push(user);
    }
    await addNewUsers(tx.query, users);
    for (const user of users) recordUser(tx, 'user.registered', user);
    return true;
  });
}

function userOf(
  row: ImportRow,
  usersByKey: Parameters<typeof storedKey>[1],
  { batchId, passwordHash }: { batchId: string; passwordHash: string | null },
): UserRow | undefined {
  const { input, email } = row;
  if (!email) return undefined;
  const storedEmail = { address: email.address, key: storedKey(email, usersByKey) };
  return {
    ...newUser(createId('usr'), storedEmail, passwordHash, new Date()),
    emailVerified: input.emailVerified,
    mailboxProven: input.emailVerified,
    name: input.name,
    givenName: input.givenName,
    familyName: input.familyName,
    picture: input.picture,
    locale: input.locale,
    externalId: input.externalId,
    importBatch: batchId,
    metadata: input.metadata?.items ?? {},
  };
}
