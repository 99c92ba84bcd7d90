import { type EntitySchema, LockMode } from '@mikro-orm/core';
import type { Log } from '../log.ts';
import type { Database, EntityManager } from '../orm.ts';
import { DekEntity } from './entities.ts';
import { firstPlace, type KeyPlace, listSuperseded } from './queries.ts';
import type { TenantKeys } from './tenant-keys.ts';

// When another data key has taken a key's place, what the old one sealed is sealed with the new one, row by row and
// beside the running work. Any number of processes may do so at once.

/** Where sealed values are: a table with `tenant` and `dekId`. */
export type SealedRecord = {
  entity: EntitySchema;
  /** The property that names the record in what its values are bound to. */
  id: string;
  /** Each sealed property, with the name of the field that its value is bound to. All of a row are under one key. */
  fields: Readonly<Record<string, string>>;
};

export type ResealDeps = {
  database: Database;
  keys: TenantKeys;
  records: readonly SealedRecord[];
  graceMs: number;
  log: Log;
};

const keysAtOnce = 100;
const rowsAtOnce = 100;

/** Seals anew what superseded keys have sealed, and removes those that nothing has been sealed with for `graceMs`. */
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
        await empty(deps, place, isStopped).catch((error: unknown) => complain(deps, place, error));
    after = places.at(-1);
  }
}

async function empty(deps: ResealDeps, place: KeyPlace, isStopped: () => boolean): Promise<void> {
  // Both keys are at hand before a row is locked: the key service may be far away.
  const resealer = await deps.keys.resealer(place.tenant, place.id);
  if (!resealer) return;
  for (const record of deps.records)
    for (let after: string | undefined = ''; after !== undefined && !isStopped(); )
      after = await resealSome(deps, { record, place, resealer, after });
  await settle(deps, place);
}

type Resealer = NonNullable<Awaited<ReturnType<TenantKeys['resealer']>>>;
type Batch = { record: SealedRecord; place: KeyPlace; resealer: Resealer; after: string };

/** Seals a batch of rows anew. Returns the last one's id, undefined where there are no more. */
function resealSome(
  { database, log }: ResealDeps,
  { record, place, resealer, after }: Batch,
): Promise<string | undefined> {
  const { entity, id, fields } = record;
  const { tenant, id: dekId } = place;
  return database.transaction(tenant, async (em) => {
    // A row that somebody else has in hand is left to the next turn, so nobody's change is overwritten, and nobody waits.
    const options = {
      orderBy: { [id]: 'asc' },
      limit: rowsAtOnce,
      lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE,
      fields: ['tenant', id, 'dekId', ...Object.keys(fields)],
    };
    const where: object = { tenant, dekId, [id]: { $gt: after } };
    const rows: Array<Record<string, unknown>> = await em.find(entity, where, options as object);
    for (const row of rows) {
      try {
        Object.assign(row, { ...resealed(row, record, resealer), dekId: resealer.dekId });
      } catch (error) {
        log.error('what is sealed cannot be opened and stays as it is', {
          table: entity.meta.tableName,
          id: row[id],
          tenant,
          dek: dekId,
          error,
        });
      }
    }
    // The grace begins anew, together with the change: it is not over while somebody seals with the key.
    if (rows.length > 0)
      await em.nativeUpdate(DekEntity, { tenant, id: dekId }, { unusedSince: null });
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
 * Notes of a superseded key that nothing is sealed with it, and removes it when that has been so for the grace. Whoever
 * still had it at hand, to seal a row or to open one that was read before, has long been done then.
 */
async function settle(
  { database, records, graceMs, log }: ResealDeps,
  { tenant, id }: KeyPlace,
): Promise<void> {
  await database.transaction(tenant, async (em) => {
    const key = await em.findOne(
      DekEntity,
      { tenant, id },
      { lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    if (!key?.supersededAt) return;
    const now = new Date();
    if (await isUsed(em, records, { tenant, id })) key.unusedSince = null;
    else if (!key.unusedSince) key.unusedSince = now;
    else if (now.getTime() - key.unusedSince.getTime() >= graceMs) {
      em.remove(key);
      log.info('a superseded data key was removed', { tenant, dek: id });
    }
  });
}

async function isUsed(
  em: EntityManager,
  records: readonly SealedRecord[],
  { tenant, id: dekId }: KeyPlace,
): Promise<boolean> {
  for (const { entity } of records)
    if (await em.findOne(entity, { tenant, dekId }, { fields: ['dekId'] } as object)) return true;
  return false;
}

/** How many values each table has under a key. */
export async function countSealed(
  em: EntityManager,
  records: readonly SealedRecord[],
  { tenant, id: dekId }: KeyPlace,
): Promise<number> {
  let count = 0;
  for (const { entity } of records) count += await em.count(entity, { tenant, dekId });
  return count;
}

function complain({ log }: ResealDeps, { tenant, id }: KeyPlace, error: unknown): void {
  log.warn('what a superseded data key sealed could not be sealed anew, it is tried again', {
    tenant,
    dek: id,
    error,
  });
}
