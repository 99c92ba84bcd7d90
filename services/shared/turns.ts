import { currentClientCall, inClientCall } from './client-call.ts';
import { exhausted, ServiceError, unavailable } from './errors.ts';

// Turns are taken before a database connection is: a transaction that waits here holds none. Without them, a client that changes
// one row many times at once has every connection of the process wait for that row, and every other caller wait with it.

export type TurnLimits = {
  /** How many hold a turn at once, all keys together. */
  total: number;
  /** How many of them under one key. */
  perKey: number;
  /** How many wait under one key; the next call of a client is refused. */
  waiting: number;
};

/** How long work waits for its turns, and what it gets then: a client's call 429, everything else a failure that is retried. */
export type Wait = { until: number; isClient: boolean };

type Queue = { holding: number; waiting: Array<() => void> };

const busy = () => exhausted('too many changes of the same records at once, try again', 1);
/** Whether the database answered. A refusal by the work itself is an answer too. */
const isAnswer = (error: unknown): boolean =>
  error instanceof ServiceError && error.code !== 'unavailable';

export type Turns = ReturnType<typeof createTurns>;

/** Runs work in turns: a limited number at once for each key, and the keys with waiting work in rotation. */
export function createTurns({ total, perKey, waiting }: TurnLimits) {
  const queues = new Map<string, Queue>();
  let holding = 0;
  let answered = 0;

  function queueOf(key: string): Queue {
    const queue = queues.get(key) ?? { holding: 0, waiting: [] };
    queues.set(key, queue);
    return queue;
  }

  async function enter(key: string, { until, isClient }: Wait): Promise<void> {
    const queue = queueOf(key);
    if (holding < total && queue.holding < perKey) return take(queue);
    if (isClient && queue.waiting.length >= waiting) {
      forgetIdle(key, queue);
      throw busy();
    }
    const answeredBefore = answered;
    await new Promise<void>((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        take(queue);
        resolve();
      };
      const giveUp = () => {
        queue.waiting.splice(queue.waiting.indexOf(start), 1);
        forgetIdle(key, queue);
        // If no work ended meanwhile, the database hangs: the number of calls is not the cause.
        reject(isClient && answered > answeredBefore ? busy() : unavailable());
      };
      const timer = setTimeout(giveUp, Math.max(0, until - performance.now()));
      queue.waiting.push(start);
    });
  }

  function take(queue: Queue): void {
    queue.holding++;
    holding++;
  }

  function leave(key: string): void {
    const queue = queueOf(key);
    queue.holding--;
    holding--;
    // To the end of the rotation, or out of it.
    queues.delete(key);
    queues.set(key, queue);
    forgetIdle(key, queue);
    startNext();
  }

  // Keys contain text from clients: without this the map would grow without a bound.
  function forgetIdle(key: string, queue: Queue): void {
    if (queue.holding === 0 && queue.waiting.length === 0) queues.delete(key);
  }

  function startNext(): void {
    for (const queue of queues.values()) {
      if (holding >= total) return;
      if (queue.holding < perKey) queue.waiting.shift()?.();
    }
  }

  return {
    /** Runs `work` when it is its turn. Throws resource_exhausted where too many calls of clients wait already. */
    async run<T>(key: string, work: () => Promise<T>, wait: Wait): Promise<T> {
      await enter(key, wait);
      try {
        const result = await work();
        answered++;
        return result;
      } catch (error) {
        if (isAnswer(error)) answered++;
        throw error;
      } finally {
        leave(key);
      }
    },
    /** How many keys have work that runs or waits. */
    size: () => queues.size,
  };
}

/** What a transaction changes: its tenant's rows (null = no tenant's), and the row that a client may want many times at once. */
export type Scope = { tenant: string | null; row?: string };

/** How many wait for one row. */
const waitingForRow = 50;
/** How many calls of clients run or wait for one tenant, whatever rows they are about: fewer than a gateway has under way to a process. */
const callsOfTenant = 100;
/** How many calls of one caller run or wait among those of others: too few to fill a row or a tenant. */
const callsOfCaller = 20;
/** How many more of them wait behind those, where they keep only each other waiting. */
const waitingOfCaller = 100;
/** For all turns of a change together. With the 8 s that a connection may take, less than the 20 s of the gateway. */
const waitMs = 10_000;
/** Connections that are left for plain statements and for transactions without a turn. */
const reserved = 2;

/**
 * The turns of a service's transactions: one at a time for a row, and for a tenant half of the connections at most. Only a client's
 * own call is refused where too many wait; background work and calls of other services wait for their turn. A transaction that
 * names neither tenant nor row takes no turn. With n processes, n transactions at most wait in the database for one row.
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

  /** Runs `work` in the turn of the caller, which a call takes once: what it does inside belongs to that turn, and to its deadline. */
  function asCaller<T>(work: (wait: Wait) => Promise<T>): Promise<T> {
    const call = currentClientCall();
    const until = call?.waitsUntil ?? performance.now() + waitMs;
    const wait = { until, isClient: call !== undefined };
    if (call === undefined || call.waitsUntil !== undefined) return work(wait);
    const inTurn = () => inClientCall({ ...call, waitsUntil: until }, () => work(wait));
    return call.caller === '' ? inTurn() : callers.run(call.caller, inTurn, wait);
  }

  return {
    transaction<T>({ tenant, row }: Scope, work: () => Promise<T>): Promise<T> {
      const holder = tenant ?? row;
      if (holder === undefined) return work();
      return asCaller((wait) => {
        const connect = () => connections.run(holder, work, wait);
        const change = row === undefined ? connect : () => rows.run(row, connect, wait);
        return wait.isClient ? calls.run(holder, change, wait) : change();
      });
    },
    row: <T>(row: string, work: () => Promise<T>): Promise<T> =>
      asCaller((wait) => rows.run(row, work, wait)),
  };
}
