import { randomBytes } from 'node:crypto';
import type { Buffer } from 'node:buffer';
import { createId } from '@bailiwick/shared/ids.ts';
import { counter } from '@bailiwick/shared/metrics.ts';
import { type Database, lockName } from '@bailiwick/shared/orm.ts';
import { type KeyRing, open, seal, unwrapKey, wrapKey } from '@bailiwick/shared/seal.ts';
import { createCache } from './cache.ts';
import { DekEntity } from './entities.ts';
import { findKey, findNewestKey, type WrappedKey } from './queries.ts';

export type Sealed = { dekId: string; sealed: Buffer };
export type TenantKeys = ReturnType<typeof createTenantKeys>;

type DataKey = { id: string; key: Buffer };

const hits = counter({ name: 'bailiwick_key_cache_hits_total', about: 'Data keys that were at hand, and cost no look-up and no unwrapping.' }, {});

/**
 * Seals with the data keys of the tenants ("" = the platform's own). A tenant gets its key when it first
 * needs one, in a transaction of its own: a key that nothing was sealed with does no harm.
 */
export function createTenantKeys({ database, ring }: { database: Database; ring: KeyRing }) {
  // Short enough that a tenant's destroyed key is soon forgotten everywhere.
  const cached = { size: 1000, lifetimeMs: 60_000, onHit: () => hits.add({}) };
  const newest = createCache<DataKey>(cached);
  const known = createCache<DataKey>(cached);

  const unwrap = (tenant: string, { id, kek, wrapped }: WrappedKey): DataKey => ({ id, key: unwrapKey(ring, kek, wrapped, [tenant, id]) });

  async function findOrCreate(tenant: string): Promise<DataKey> {
    const found = await findNewestKey(database, tenant);
    if (found) return unwrap(tenant, found);
    return database.transaction(tenant, async (em) => {
      await lockName(em, `dek ${tenant}`);
      const [other] = await em.find(DekEntity, { tenant }, { orderBy: { id: 'desc' }, limit: 1 });
      if (other) return unwrap(tenant, other);
      const id = createId('dek');
      const key = randomBytes(32);
      em.persist(em.create(DekEntity, { tenant, id, ...wrapKey(ring, key, [tenant, id]), createdAt: new Date() }));
      return { id, key };
    });
  }

  async function get(tenant: string, id: string): Promise<DataKey> {
    const found = await findKey(database, tenant, id);
    if (!found) throw new Error(`the data key ${id} is gone`);
    return unwrap(tenant, found);
  }

  return {
    /** Seals under the tenant's newest data key. `context` says which record and field it is. */
    async seal(tenant: string, plain: Uint8Array, context: readonly string[]): Promise<Sealed> {
      const { id, key } = await newest.get(tenant, () => findOrCreate(tenant));
      return { dekId: id, sealed: seal(key, plain, [tenant, ...context, id]) };
    },

    /** Opens what `seal` made. Throws if it was moved to another record, field or tenant. */
    async open(tenant: string, { dekId, sealed }: { dekId: string; sealed: Uint8Array }, context: readonly string[]): Promise<Buffer> {
      const { key } = await known.get(`${tenant}/${dekId}`, () => get(tenant, dekId));
      return open(key, sealed, [tenant, ...context, dekId]);
    },
  };
}
