import type { Origin } from '@bailiwick/contract';
import { exhausted, PoolBusy, ServiceError, unavailable } from '@bailiwick/errors';

// A transaction takes its turn before a database connection, so it holds none while it waits.
// Without turns, a client that changes one row many times at once would make every connection of
// the process wait for that row, and all other callers with it.

export type TurnLimits = {
  /** Turns held at once, over all keys. */
  total: number;
  /** Turns held at once under one key. */
  perKey: number;
  /** Waiting work under one key; further client calls are rejected. */
  waiting: number;
};

/**
 * The deadline of a wait. When it passes, a client's call gets 429, and other work fails and is
 * retried. `since`: when the call's first wait began, if it has waited for other turns before.
 */
export type Wait = { until: number; isClient: boolean; since?: number };

type Queue = { holding: number; waiting: Array<() => void> };

const busy = () => exhausted('too many concurrent changes of the same records, try again', 1);
/** Whether the database responded. An error of the work itself counts as a response. */
const isAnswer = (error: unknown): boolean =>
  error instanceof PoolBusy || (error instanceof ServiceError && error.code !== 'unavailable');

/** Counts the work in hand and queues the work that waits, by key. */
function createQueues({ total, perKey }: Pick<TurnLimits, 'total' | 'perKey'>) {
  const queues = new Map<string, Queue>();
  let holding = 0;

  function queueOf(key: string): Queue {
    const queue = queues.get(key) ?? { holding: 0, waiting: [] };
    queues.set(key, queue);
    return queue;
  }

  // Keys contain text from clients: the map must not grow without bound.
  function forgetIdle(key: string): void {
    const queue = queues.get(key);
    if (queue?.holding === 0 && queue.waiting.length === 0) queues.delete(key);
  }

  function startNext(): void {
    for (const queue of queues.values()) {
      if (holding >= total) return;
      if (queue.holding < perKey) queue.waiting.shift()?.();
    }
  }

  return {
    queueOf,
    forgetIdle,
    hasRoom: (queue: Queue) => holding < total && queue.holding < perKey,
    take(queue: Queue): void {
      queue.holding++;
      holding++;
    },
    leave(key: string): void {
      const queue = queueOf(key);
      queue.holding--;
      holding--;
      // Moves the key to the end of the rotation, or removes it.
      queues.delete(key);
      queues.set(key, queue);
      forgetIdle(key);
      startNext();
    },
    size: () => queues.size,
  };
}

/** Runs work in turns: a limited number at once for each key, with rotation between keys. */
export function createTurns({ total, perKey, waiting }: TurnLimits) {
  const { queueOf, forgetIdle, hasRoom, take, leave, size } = createQueues({ total, perKey });
  /** When the database last responded. */
  let answeredAt = 0;

  async function enter(key: string, { until, isClient, since = performance.now() }: Wait) {
    const queue = queueOf(key);
    if (hasRoom(queue)) return take(queue);
    if (isClient && queue.waiting.length >= waiting) {
      forgetIdle(key);
      throw busy();
    }
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        take(queue);
        resolve();
      };
      const giveUp = () => {
        queue.waiting.splice(queue.waiting.indexOf(start), 1);
        forgetIdle(key);
        // If no other work ended while the call waited, here or for an earlier turn, the database
        // hangs and the load is not the cause.
        reject(isClient && answeredAt > since ? busy() : unavailable());
      };
      const timer = setTimeout(giveUp, Math.max(0, until - performance.now()));
      queue.waiting.push(start);
    });
  }

  return {
    /**
     * Runs `work` in its turn. @throws resource_exhausted if too many client calls are already
     * waiting
     */
    async run<T>(key: string, work: () => Promise<T>, wait: Wait): Promise<T> {
      await enter(key, wait);
      try {
        const result = await work();
        answeredAt = performance.now();
        return result;
      } catch (error) {
        if (isAnswer(error)) answeredAt = performance.now();
        throw error;
      } finally {
        leave(key);
      }
    },
    /** The number of keys with running or waiting work. */
    size,
  };
}

/**
 * The scope of a transaction: the call or service that it belongs to, its tenant (null = none), and a
 * row that clients may change often at once.
 */
export type Scope = { call: Origin; tenant: string | null; row?: string };

/** Work that may wait for one row. */
const waitingForRow = 50;
/**
 * Client calls that may run or wait for one tenant, over all rows: fewer than a gateway may have in
 * flight to a process.
 */
const callsOfTenant = 100;
/**
 * Calls of one caller that may run or wait together with others: too few to fill a row or a tenant.
 */
const callsOfCaller = 20;
/** Further calls of one caller that may wait, where they delay only each other. */
const waitingOfCaller = 100;
/**
 * Deadline for all turns of a change together. With up to 8 s for a connection it stays below the
 * gateway's 20 s.
 */
const waitMs = 10_000;
/** Connections reserved for plain statements and for transactions without a turn. */
const reserved = 2;

/**
 * The turns of a service's transactions: one at a time for a row, and at most half of the
 * connections for a tenant. Only a client's own call is rejected if too many are waiting;
 * background work and calls of other services wait for their turn. A transaction without tenant and
 * row takes no turn. With n processes, at most n transactions wait in the database for one row.
 */
export function createTransactionTurns(poolSize: number) {
  const total = Number.POSITIVE_INFINITY;
  const callers = createTurns({ total, perKey: callsOfCaller, waiting: waitingOfCaller });
  const calls = createTurns({ total, perKey: callsOfTenant, waiting: 0 });
  const rows = createTurns({ total, perKey: 1, waiting: waitingForRow });
  const share = Math.max(1, Math.floor(poolSize / 2));
  const connections = createTurns({
    total: Math.max(1, poolSize - reserved),
    perKey: share,
    waiting: Number.POSITIVE_INFINITY,
  });

  /**
   * Runs `work` in the caller's turn, which a call takes once. `work` gets the call that holds it:
   * nested work with that call shares the turn and its deadline.
   */
  function asCaller<C extends Origin, T>(
    call: C,
    work: (wait: Wait, call: C) => Promise<T>,
  ): Promise<T> {
    const { client } = call;
    const until = client?.waitsUntil ?? performance.now() + waitMs;
    const wait = { until, isClient: client !== undefined, since: until - waitMs };
    if (client === undefined || client.waitsUntil !== undefined) return work(wait, call);
    const holding = { ...call, client: { ...client, waitsUntil: until } };
    const inTurn = () => work(wait, holding);
    return client.caller === '' ? inTurn() : callers.run(client.caller, inTurn, wait);
  }

  return {
    transaction<T>({ call, tenant, row }: Scope, work: (call: Origin) => Promise<T>): Promise<T> {
      const holder = tenant ?? row;
      if (holder === undefined) return work(call);
      return asCaller(call, (wait, holding) => {
        const connect = () => connections.run(holder, () => work(holding), wait);
        const change = row === undefined ? connect : () => rows.run(row, connect, wait);
        return wait.isClient ? calls.run(holder, change, wait) : change();
      });
    },
    call: <C extends Origin, T>(
      { call, tenant }: { call: C; tenant: string },
      work: (call: C) => Promise<T>,
    ): Promise<T> =>
      asCaller(call, (wait, holding) =>
        wait.isClient ? calls.run(tenant, () => work(holding), wait) : work(holding),
      ),
    row: <C extends Origin, T>(
      { call, row }: { call: C; row: string },
      work: (call: C) => Promise<T>,
    ): Promise<T> => asCaller(call, (wait, holding) => rows.run(row, () => work(holding), wait)),
  };
}
