import type { Database, EntityManager } from '@bailiwick/shared/orm.ts';
import { chainStart, type Entry, type Link, linkOf } from './chain.ts';
import { findStored, findTenants, insertEntries, lockHeads, moveHeads } from './queries.ts';

export type LinkedEntry = Entry & { Seq: number; PrevHash: string; Hash: string };

/**
 * Puts entries at the ends of their tenants' chains, in this order, all or none. An entry that is stored
 * already is left out, so that the same one may come any number of times and to any number of replicas.
 */
export function appendEntries(database: Database, entries: readonly Entry[]): Promise<void> {
  return database.transaction(null, async (em) => {
    const routed = await routeUnknownTenants(em, entries);
    const heads = new Map(
      await lockHeads(em, [...new Set(routed.map(({ Tenant }) => Tenant))].sort()),
    );
    // Looked up under the lock: whoever stored one of these had it before us.
    const known = new Set(await findStored(em, routed));
    const linked: LinkedEntry[] = [];
    for (const entry of routed) {
      if (known.has(entry.ID)) continue;
      known.add(entry.ID);
      const last: Link = heads.get(entry.Tenant) ?? chainStart;
      const link = linkOf(last, entry);
      heads.set(entry.Tenant, link);
      linked.push({ ...entry, Seq: link.seq, PrevHash: last.hash, Hash: link.hash });
    }
    if (linked.length === 0) return;
    await insertEntries(em, linked);
    await moveHeads(em, heads);
  });
}

/** A refused call may name any tenant. Those that do not exist get no chain of their own: the entry is the platform's. */
async function routeUnknownTenants(em: EntityManager, entries: readonly Entry[]): Promise<Entry[]> {
  const named = [...new Set(entries.map(({ Tenant }) => Tenant))].filter((tenant) => tenant !== '');
  const known = new Set(await findTenants(em, named));
  return entries.map((entry) =>
    entry.Tenant === '' || known.has(entry.Tenant)
      ? entry
      : {
          ...entry,
          Tenant: '',
          Targets: [...entry.Targets, { Type: 'tenant', ID: entry.Tenant, Name: '' }],
        },
  );
}
