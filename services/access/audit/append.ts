import { serviceOrigin } from '@bailiwick/contract';
import { unavailable } from '@bailiwick/errors';
import type { Database } from '@bailiwick/store';
import { type Entry, type Link, linkOf } from './chain.ts';
import {
  appendToChains,
  type Chain,
  findChains,
  type LinkedEntry,
  type Move,
} from './chains/queries.ts';

const byService = serviceOrigin('access');

/** Each try that fails means that another replica has appended to the same chain. */
const tries = 20;

/**
 * Appends entries to their tenants' chains, in this order. Skips entries that are stored already,
 * so that an entry may arrive more than once and at several replicas. Links are made without a lock
 * and stored if the chain has not moved since: two statements for a batch. @throws unavailable if
 * other replicas are always faster; some of the entries may be stored then.
 */
export async function appendEntries(database: Database, entries: readonly Entry[]): Promise<void> {
  let rest = entries;
  for (let count = 0; count < tries; count++) {
    const { moves, linked, routed } = await link(database, rest);
    if (linked.length === 0) return;
    const movedTenants = new Set(await appendToChains(database, byService, moves, linked));
    if (movedTenants.size === moves.length) return;
    // A chain has an entry once, however often it is appended.
    rest = routed.filter(({ Tenant }) => !movedTenants.has(Tenant));
  }
  throw unavailable('other replicas keep appending to the same audit chains');
}

/** Links the entries that their chains do not have yet. */
async function link(database: Database, entries: readonly Entry[]) {
  const tenants = [...new Set(['', ...entries.map(({ Tenant }) => Tenant)])];
  const rows = await findChains(
    database,
    tenants,
    entries.map(({ ID }) => ID),
  );
  const chains = new Map(rows.filter((chain) => chain.known).map((chain) => [chain.tenant, chain]));
  const routed = entries.map((entry) => routeUnknownTenant(chains, entry));
  const heads = new Map<string, Link>();
  const linked: LinkedEntry[] = [];
  const linkedIds = new Set<string>();
  for (const entry of routed) {
    const { last, stored } = chainOf(chains, entry.Tenant);
    if (linkedIds.has(entry.ID) || stored.includes(entry.ID)) continue;
    linkedIds.add(entry.ID);
    const before = heads.get(entry.Tenant) ?? last;
    const after = linkOf(before, entry);
    heads.set(entry.Tenant, after);
    linked.push({ ...entry, Seq: after.seq, PrevHash: before.hash, Hash: after.hash });
  }
  const moves = [...heads].map(
    ([tenant, to]): Move => ({ tenant, from: chainOf(chains, tenant).last, to }),
  );
  return { moves, linked, routed };
}

function chainOf(chains: ReadonlyMap<string, Chain>, tenant: string): Chain {
  const chain = chains.get(tenant);
  if (!chain) throw new Error('the chain of an entry was not read');
  return chain;
}

/**
 * A refused call may name any tenant. A tenant that does not exist gets no chain: its entry goes to
 * the platform's chain.
 */
function routeUnknownTenant(chains: ReadonlyMap<string, Chain>, entry: Entry): Entry {
  if (chains.has(entry.Tenant)) return entry;
  return {
    ...entry,
    Tenant: '',
    Targets: [...entry.Targets, { Type: 'tenant', ID: entry.Tenant, Name: '' }],
  };
}
