import { type Database, type EntityManager } from '@bailiwick/database';
import { chainStart, type Entry, type Link, linkOf } from './chain.ts';
import { findStored, findTenants, insertEntries, lockHeads, moveHeads } from './queries.ts';

export type LinkedEntry = Entry & { Seq: number; PrevHash: string; Hash: string };

/**
 * Appends entries to their tenants' chains, in this order, all or none. Skips entries that are
 * stored already, so that an entry may arrive more than once and at several replicas.
 */
export function appendEntries(database: Database, entries: readonly Entry[]): Promise<void> {
  return database.transaction(null, async (em) => {
    const routed = await routeUnknownTenants(em, entries);
    const heads = new Map(
      await lockHeads(em, [...new Set(routed.map(({ Tenant }) => Tenant))].sort()),
    );
    // Read under the lock: another replica may have stored these entries before this one got the
    // lock.
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

/**
 * A refused call may name any tenant. A tenant that does not exist gets no chain: its entry goes to
 * the platform's chain.
 */
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
