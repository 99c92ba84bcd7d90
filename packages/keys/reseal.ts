import { serviceOrigin } from '@bailiwick/contract';
import type { Log } from '@bailiwick/process';
import type { Database, Transaction } from '@bailiwick/store';
import { type EntitySchema, LockMode } from '@mikro-orm/core';
import { DekEntity } from './entities.ts';
import { firstPlace, type KeyPlace, listSuperseded } from './queries.ts';
import type { TenantKeys } from './tenant-keys.ts';

// Reseals values of superseded data keys with the current one, row by row and beside normal work.
// Any number of processes may do so at once.

/** Sealed values of a table, which has a column `tenant`. */
export type SealedRecord = {
  entity: EntitySchema;
  /** The property with the record id that the values are bound to. */
  id: string;
  /** The property with the data key of the values, by default `dekId`. */
  key?: string;
  /**
   * Each sealed property, with the field name that its value is bound to. All of them
   * use that key.
   */
  fields: Readonly<Record<string, string>>;
};

/** The inputs of resealing. `graceMs` is the time that an unused key is kept. */
export type ResealDeps = {
  database: Database;
  keys: TenantKeys;
  records: readonly SealedRecord[];
  graceMs: number;
  log: Log;
};

const keysAtOnce = 100;
const rowsAtOnce = 100;

/** Reseals the values of superseded keys, and removes keys that have been unused for `graceMs`. */
export async function resealSuperseded(deps: ResealDeps, isStopped: () => boolean): Promise<void> {
  for (let after: KeyPlace | undefined = firstPlace; after && !isStopped(); ) {
    const places: KeyPlace[] = await listSuperseded(
      deps.database,
      after,
      new Date(Date.now() - deps.graceMs),
      keysAtOnce,
    );
    for (const place of places)
      if (!isStopped())
        await resealKey(deps, place, isStopped).catch((error: unknown) =>
          logFailure(deps, place, error),
        );
    after = places.at(-1);
  }
}

async function resealKey(
  deps: ResealDeps,
  place: KeyPlace,
  isStopped: () => boolean,
): Promise<void> {
  // Loads both keys before locking rows: the key service may be slow.
  const resealer = await deps.keys.resealer(place.tenant, place.id);
  if (!resealer) return;
  for (const record of deps.records)
    for (let after: string | undefined = ''; after !== undefined && !isStopped(); )
      after = await resealSome(deps, { record, place, resealer, after });
  await settle(deps, place);
}

type Resealer = NonNullable<Awaited<ReturnType<TenantKeys['resealer']>>>;
type Batch = { record: SealedRecord; place: KeyPlace; resealer: Resealer; after: string };

/** Reseals a batch of rows. Returns the last row's id, undefined if there are no more. */
function resealSome(
  { database, log }: ResealDeps,
  { record, place, resealer, after }: Batch,
): Promise<string | undefined> {
  const { entity, id, key = 'dekId', fields } = record;
  const { tenant, id: dekId } = place;
  return database.transaction({ call: serviceOrigin(database.service), tenant }, async (tx) => {
    // Skips locked rows until the next run, so that no change is overwritten and no writer waits.
    const options = {
      orderBy: { [id]: 'asc' },
      limit: rowsAtOnce,
      lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE,
      fields: ['tenant', id, key, ...Object.keys(fields)],
    };
    const where: object = { tenant, [key]: dekId, [id]: { $gt: after } };
    const rows: Array<Record<string, unknown>> = await tx.em.find(entity, where, options as object);
    for (const row of rows) {
      try {
        Object.assign(row, { ...resealed(row, record, resealer), [key]: resealer.dekId });
      } catch (error) {
        log.error('a sealed value cannot be opened, leaving it unchanged', {
          table: entity.meta.tableName,
          id: row[id],
          tenant,
          dek: dekId,
          error,
        });
      }
    }
    // Restarts the grace period in the same transaction: it must not end while a process still
    // seals with the key.
    if (rows.length > 0)
      await tx.em.nativeUpdate(DekEntity, { tenant, id: dekId }, { unusedSince: null });
    return rows.length < rowsAtOnce ? undefined : String(rows.at(-1)?.[id]);
  });
}

function resealed(
  row: Record<string, unknown>,
  { id, fields }: SealedRecord,
  { reseal }: Resealer,
): Record<string, Uint8Array> {
  const values = Object.entries(fields).filter(([property]) => row[property] !== null);
  return Object.fromEntries(
    values.map(([property, field]) => [
      property,
      reseal(row[property] as Uint8Array, [String(row[id]), field]),
    ]),
  );
}

/**
 * Marks a superseded key as unused, and removes it after the grace period. By then no process still
 * has it cached to seal a row, or to open one that it read earlier.
 */
async function settle(
  { database, records, graceMs, log }: ResealDeps,
  { tenant, id }: KeyPlace,
): Promise<void> {
  await database.transaction({ call: serviceOrigin(database.service), tenant }, async (tx) => {
    const key = await tx.em.findOne(
      DekEntity,
      { tenant, id },
      { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    if (!key?.supersededAt) return;
    const now = new Date();
    if (await isUsed(tx, records, { tenant, id })) key.unusedSince = null;
    else if (!key.unusedSince) key.unusedSince = now;
    else if (now.getTime() - key.unusedSince.getTime() >= graceMs) {
      tx.em.remove(key);
      log.info('removed a superseded data key', { tenant, dek: id });
    }
  });
}

async function isUsed(
  tx: Transaction,
  records: readonly SealedRecord[],
  { tenant, id: dekId }: KeyPlace,
): Promise<boolean> {
  for (const { entity, key = 'dekId' } of records) {
    const where: object = { tenant, [key]: dekId };
    if (await tx.em.findOne(entity, where, { fields: [key] } as object)) return true;
  }
  return false;
}

/** The number of records sealed with a key, over all tables. */
export async function countSealed(
  tx: Transaction,
  records: readonly SealedRecord[],
  { tenant, id: dekId }: KeyPlace,
): Promise<number> {
  let count = 0;
  for (const [entity, sealed] of Map.groupBy(records, ({ entity: of }) => of)) {
    const where: object = { tenant, $or: sealed.map(({ key = 'dekId' }) => ({ [key]: dekId })) };
    count += await tx.em.count(entity, where);
  }
  return count;
}

function logFailure({ log }: ResealDeps, { tenant, id }: KeyPlace, error: unknown): void {
  log.warn('resealing the values of a superseded data key failed, retrying', {
    tenant,
    dek: id,
    error,
  });
}
