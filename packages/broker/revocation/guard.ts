import { randomUUID } from 'node:crypto';
import { unavailable } from '@bailiwick/errors';
import { LRUCache } from 'lru-cache';
import type { Broker } from '../broker.ts';
import type { Acknowledgement, Revocation, RightsKey } from './keys.ts';
import { createLease, leaseMs, subjects } from './lease.ts';

// A revoked right changes nothing after the reply of the call that revoked it. Every process that
// makes changes holds a lease, like a cache of rights. It remembers the keys that were revoked, asks
// again for the right of a call that rests on one of them, as the last step before the commit, and
// acknowledges a revocation when no commit is under way that rests on its keys. The question is a
// part of the commit: otherwise changes of a tenant whose rights change all the time would ask for
// ever. A change that still waits for a row does not delay the revocation: its last step comes
// later, and asks.
//
// Without a lease no revocation waits for this process, so every change asks.

/** Rights travel in a caller token for this time at most, with the leeway of its clock. */
const memoryMs = 70_000;
/** Rights that were read before this process heard the broker arrive within this time. */
const unheardMs = 5000;
/** Rights whose answers are remembered, by a short name. */
const maxConfirmed = 2000;
/** A commit reaches the database within this time, or its lease may have ended. */
const marginMs = 500;
/** Without a lease, a commit follows the question within this time. */
const freshMs = 1000;

/** A call whose changes are guarded. */
export type GuardedCall = {
  keys: readonly RightsKey[];
  /** The id of the call. Its own revocations do not end it. */
  work: string;
  /** Whether its rights were read before it arrived. */
  carriesRights: boolean;
  /** A name for the caller with exactly these rights, which other calls may carry too. */
  rightsName: () => string;
  /** Asks for the right again, in the tenant of the change. @throws ServiceError if it has ended */
  confirm: (tenant: string) => Promise<void>;
};

/** Rights that were read after the revocation `after`, or that came with the call. */
type Basis = { after: number; isCarried: boolean };

/** The revocations that this process remembers. */
function createMemory(broker: Broker) {
  type Noted = { order: number; at: number; cause: string };
  /** The last revocation of each key, and the last one of another call. The oldest key is first. */
  const noted = new Map<RightsKey, { last: Noted; other: Noted | undefined }>();
  let order = 0;
  let connections = -1;
  let gap: Pick<Noted, 'order' | 'at'> = { order: 0, at: 0 };
  /** The order before the last question about rights that still stood. */
  const confirmed = new LRUCache<string, number>({ max: maxConfirmed });

  /** Revocations during a lost connection are unknown. */
  function noteConnection(): void {
    if (broker.connections() === connections) return;
    connections = broker.connections();
    gap = { order: ++order, at: Date.now() };
  }

  return {
    order: (): number => order,
    /** Notes that rights still stood, after the revocations up to this order. */
    confirm: (rightsName: string, after: number): void => void confirmed.set(rightsName, after),
    /** The basis of a call with these rights, if they still stood. */
    answerFor(rightsName: string): Basis | undefined {
      const after = confirmed.get(rightsName);
      return after === undefined ? undefined : { after, isCarried: false };
    },
    note(keys: readonly RightsKey[], cause: string): void {
      const now = Date.now();
      const last = { order: ++order, at: now, cause };
      for (const key of keys) {
        const before = noted.get(key);
        noted.delete(key);
        const other = before && before.last.cause !== cause ? before.last : before?.other;
        noted.set(key, { last, other });
      }
      for (const [key, { last: oldest }] of noted) {
        if (now - oldest.at < memoryMs) break;
        noted.delete(key);
      }
    },
    /** Whether rights that rest on a key may have ended since they were read. */
    doubts(keys: readonly RightsKey[], { after, isCarried }: Basis, work: string): boolean {
      noteConnection();
      const now = Date.now();
      if (gap.order > after || (isCarried && now - gap.at < unheardMs)) return true;
      const counts = (one: Noted | undefined): boolean =>
        one !== undefined &&
        one.cause !== work &&
        (one.order > after || (isCarried && now - one.at < memoryMs));
      return keys.some((key) => {
        const revoked = noted.get(key);
        return revoked !== undefined && (counts(revoked.last) || counts(revoked.other));
      });
    },
  };
}

type Commit = { keys: readonly RightsKey[]; work: string; ended: Promise<void> };

const nothing = (): void => {};

export type Guards = ReturnType<typeof createGuards>;

/** The guards of a process's changes. */
export function createGuards(broker: Broker) {
  const self = randomUUID();
  const memory = createMemory(broker);
  const lease = createLease(broker, self, nothing);
  const commits = new Set<Commit>();

  void broker
    .listen(subjects.revoke, (body, answer) => {
      const { id, keys, cause = '' } = JSON.parse(body) as Revocation;
      memory.note(keys, cause);
      const running = [...commits].filter(
        (commit) =>
          (cause === '' || commit.work !== cause) && commit.keys.some((key) => keys.includes(key)),
      );
      const dropped: Acknowledgement = { id, holder: self, name: broker.name, kind: 'changes' };
      const acknowledge = () => answer(JSON.stringify(dropped));
      if (running.length === 0) return acknowledge();
      void Promise.all(running.map(({ ended }) => ended)).then(acknowledge);
    })
    .then(lease.allow, nothing);

  function begin(keys: readonly RightsKey[], work: string): () => void {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const commit = { keys, work, ended };
    commits.add(commit);
    return () => {
      commits.delete(commit);
      resolve();
    };
  }

  const parts = { memory, lease, begin };
  return {
    open: (call: GuardedCall) => openGuard(parts, call),
    /** Ends the lease at once. */
    close(): void {
      lease.end();
      broker.signal(subjects.lease, JSON.stringify({ holder: self, ends: true }));
    },
  };
}

type Parts = {
  memory: ReturnType<typeof createMemory>;
  lease: ReturnType<typeof createLease>;
  /** Notes a commit. The result notes its end. */
  begin: (keys: readonly RightsKey[], work: string) => () => void;
};

/** Opens the guard of a call. `end` closes it: what goes on later is not the call's own work. */
function openGuard(
  { memory, lease, begin }: Parts,
  { keys, work, carriesRights, rightsName, confirm }: GuardedCall,
) {
  const basis: Basis = { after: memory.order(), isCarried: carriesRights };
  let isOver = false;
  if (keys.length > 0) lease.use(Date.now());

  /** Returns when it asked. */
  async function ask(tenant: string): Promise<number> {
    const [after, askedAt] = [memory.order(), Date.now()];
    await confirm(tenant);
    Object.assign(basis, { after, isCarried: false });
    return askedAt;
  }

  // Revocations from now on wait for this commit, so one answer is enough, however many there are.
  async function underLease(all: readonly RightsKey[], tenant: string) {
    const since = Date.now();
    const leave = begin(all, work);
    try {
      if (!memory.doubts(all, basis, work)) return leave;
      await ask(tenant);
    } catch (error) {
      leave();
      throw error;
    }
    const now = Date.now();
    if (now - since < leaseMs - marginMs && lease.isSettled(now, marginMs, since)) return leave;
    leave();
    return undefined;
  }

  // Asks after it has waited for a lease: a revocation after the question may not wait for this commit.
  async function withoutLease(all: readonly RightsKey[], tenant: string) {
    if (await lease.settle(marginMs)) return undefined;
    const askedAt = await ask(tenant);
    const isFresh = Date.now() - askedAt < freshMs && !memory.doubts(all, basis, work);
    return isFresh ? begin(all, work) : undefined;
  }

  return {
    async enter(tenant: string | null): Promise<() => void> {
      if (isOver || keys.length === 0) return nothing;
      const inTenant = tenant ?? '';
      const all: readonly RightsKey[] = inTenant === '' ? keys : [...keys, `tenant:${inTenant}`];
      for (let tries = 0; tries < 20; tries++) {
        const leave = lease.isSettled(Date.now(), marginMs)
          ? await underLease(all, inTenant)
          : await withoutLease(all, inTenant);
        if (leave) return leave;
      }
      throw unavailable();
    },
    /**
     * Whether the rights that came with the call may have ended. If another call has asked about them
     * and they still stood, this one rests on that answer.
     */
    isInDoubt(): boolean {
      if (keys.length === 0 || !memory.doubts(keys, basis, work)) return false;
      Object.assign(basis, memory.answerFor(rightsName()));
      return memory.doubts(keys, basis, work);
    },
    ask,
    /** Notes that the answer of `ask` has exactly the rights that came with the call. */
    noteConfirmed: (): void => memory.confirm(rightsName(), basis.after),
    end: (): void => void (isOver = true),
  };
}
