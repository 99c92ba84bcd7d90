import type { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { createCache } from '@bailiwick/broker';
import { createId, type Origin, serviceOrigin } from '@bailiwick/contract';
import { counter } from '@bailiwick/process';
import { type Database, lockName, type Transaction } from '@bailiwick/store';
import { DekEntity } from './entities.ts';
import type { KeyService } from './key-service.ts';
import { findCurrentKey, findKey, type StoredKey } from './queries.ts';
import { CannotOpen, open, seal } from './seal.ts';

export type Sealed = { dekId: string; sealed: Buffer };
/** Seals and opens values with the data keys of tenants. */
export type TenantKeys = ReturnType<typeof createTenantKeys>;

/**
 * How long data keys are cached, so that a tenant's destroyed key is soon gone from all processes.
 */
export const keyLifetimeMs = 60_000;

type DataKey = { id: string; key: Buffer };
type Options = { database: Database; service: KeyService; lifetimeMs?: number };

const hits = counter({
  name: 'bailiwick_key_cache_hits_total',
  about: 'Data keys found in the cache, without look-up or unwrapping.',
});

/** The names of rows that transactions lock, also those of the previous version. */
const rowOf = { currentKey: (tenant: string) => `dek ${tenant}` };

/** Called in the transaction that replaces a tenant's key, with both key ids. */
type OnReplaced = (tx: Transaction, key: { id: string; previous: string }) => void;

/** Stores data keys, wrapped by the key service. */
function createKeyStore({ database, service }: Pick<Options, 'database' | 'service'>) {
  // Calls at the same time share a new key, whatever becomes of the first of them.
  const byService = serviceOrigin(database.service);

  const unwrap = async ({ tenant, id, kek, wrapped }: StoredKey): Promise<DataKey> => ({
    id,
    key: await service.unwrap({ kek, wrapped }, [tenant, id]),
  });

  // Outside of any transaction: the key service may be slow.
  async function make(tenant: string): Promise<{
    id: string;
    key: Buffer;
    row: { tenant: string; id: string; kek: string; wrapped: Uint8Array };
  }> {
    const id = createId('dek');
    const key = randomBytes(32);
    return { id, key, row: { tenant, id, ...(await service.wrap(key, [tenant, id])) } };
  }

  async function findOrCreate(tenant: string): Promise<DataKey> {
    const currentKey = await findCurrentKey(database, tenant);
    if (currentKey) return unwrap(currentKey);
    const { id, key, row } = await make(tenant);
    const other = await database.transaction({ call: byService, tenant }, async (tx) => {
      await lockName(tx, rowOf.currentKey(tenant));
      const stored = await findCurrent(tx, tenant);
      if (!stored) tx.em.persist(tx.em.create(DekEntity, { ...row, createdAt: new Date() }));
      return stored;
    });
    return other ? unwrap(other) : { id, key };
  }

  async function get(tenant: string, id: string): Promise<DataKey> {
    const dataKey = await findKey(database, tenant, id);
    if (!dataKey) throw new CannotOpen(`the data key ${id} is gone`);
    return unwrap(dataKey);
  }

  /**
   * Replaces a tenant's current data key; with `only`, only if that key is still the current one.
   * Returns undefined if there is nothing to replace. Caches of the old key must be invalidated
   * (packages/pipeline/service/keys-forgetting.ts).
   */
  async function replace(
    call: Origin,
    tenant: string,
    onReplaced: OnReplaced,
    only?: string,
  ): Promise<string | undefined> {
    const currentKey = await findCurrentKey(database, tenant);
    if (!currentKey || (only !== undefined && currentKey.id !== only)) return undefined;
    const { id, row } = await make(tenant);
    const replaced = await database.transaction({ call, tenant }, async (tx) => {
      await lockName(tx, rowOf.currentKey(tenant));
      const stored = await findCurrent(tx, tenant);
      if (!stored || (only !== undefined && stored.id !== only)) return false;
      const now = new Date();
      tx.em.assign(stored, { supersededAt: now, rotationDue: false });
      tx.em.persist(tx.em.create(DekEntity, { ...row, createdAt: now }));
      onReplaced(tx, { id, previous: stored.id });
      return true;
    });
    return replaced ? id : undefined;
  }

  return { unwrap, findOrCreate, get, replace };
}

/**
 * Seals with the data keys of tenants ("" = the platform's own). A tenant gets its key on first
 * use, in a separate transaction: an unused key does no harm.
 */
export function createTenantKeys({ database, service, lifetimeMs = keyLifetimeMs }: Options) {
  hits.add({}, 0); // shows 0 from the start, in processes that use data keys
  const cached = { size: 1000, lifetimeMs, onHit: () => hits.add({}) };
  const current = createCache<DataKey>(cached);
  const keysById = createCache<DataKey>(cached);
  const { unwrap, findOrCreate, get, replace } = createKeyStore({ database, service });

  const getCurrent = (tenant: string) => current.getOrLoad(tenant, () => findOrCreate(tenant));
  const getKnown = (tenant: string, id: string) =>
    keysById.getOrLoad(`${tenant}/${id}`, () => get(tenant, id));
  return {
    /** Seals with the tenant's current data key. `context` names the record and field. */
    async seal(tenant: string, plain: Uint8Array, context: readonly string[]): Promise<Sealed> {
      const key = await getCurrent(tenant);
      return { dekId: key.id, sealed: sealWith(tenant, key, plain, context) };
    },

    /** Opens a sealed value. @throws CannotOpen if it was moved to another record, field or tenant, or its key is lost */
    async open(
      tenant: string,
      { dekId, sealed }: { dekId: string; sealed: Uint8Array },
      context: readonly string[],
    ): Promise<Buffer> {
      return openWith(tenant, await getKnown(tenant, dekId), sealed, context);
    },

    /**
     * Returns a function that reseals values of another key with the tenant's current key;
     * undefined if there is nothing to do.
     */
    async resealer(tenant: string, dekId: string) {
      // Another process may already have removed the key.
      const stored = await findKey(database, tenant, dekId);
      if (!stored) return undefined;
      const old = await keysById.getOrLoad(`${tenant}/${dekId}`, () => unwrap(stored));
      // The cached current key may be the superseded one.
      current.forget(tenant);
      const next = await getCurrent(tenant);
      if (next.id === dekId) return undefined;
      const reseal = (sealed: Uint8Array, context: readonly string[]) =>
        sealWith(tenant, next, openWith(tenant, old, sealed, context), context);
      return { dekId: next.id, reseal };
    },

    replace,

    /** Removes a tenant's keys from the cache. */
    forget(tenant: string): void {
      current.forget(tenant);
      keysById.forgetWhere((key) => key.startsWith(`${tenant}/`));
    },
  };
}

const findCurrent = (tx: Transaction, tenant: string) =>
  tx.em.findOne(DekEntity, { tenant, supersededAt: null }, { orderBy: { id: 'desc' } });

const openWith = (
  tenant: string,
  { id, key }: DataKey,
  sealed: Uint8Array,
  context: readonly string[],
) => open(key, sealed, [tenant, ...context, id]);

const sealWith = (
  tenant: string,
  { id, key }: DataKey,
  plain: Uint8Array,
  context: readonly string[],
) => seal(key, plain, [tenant, ...context, id]);
