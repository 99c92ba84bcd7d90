import { setTimeout as sleep } from 'node:timers/promises';
import { callerNetwork, createBatch, type Limit } from '@bailiwick/contract';
import { exhausted, type ServiceError } from '@bailiwick/errors';
import { defineEntity, p } from '@mikro-orm/core';
import type { Database } from './orm.ts';
import { onPool, type Run, type Statement } from './statements.ts';
import type { Transaction } from './transaction.ts';

// Rate limits, counted in the owning service's database by one atomic statement each: all replicas
// share them, and two hundred concurrent calls count as two hundred.

/** The uses of one key in its current window. */
export const RateWindowEntity = defineEntity({
  name: 'RateWindow',
  tableName: 'rate_window',
  properties: {
    key: p.string().primary().columnType('text'),
    count: p.integer(),
    endsAt: p.datetime(3),
  },
  indexes: [{ name: 'rate_window_ends_at', properties: ['endsAt'] }],
});

/**
 * The table, for a migration of each service that counts. Unlogged, which costs no disk write:
 * losing counts in a crash is acceptable.
 */
export const rateWindowTable = `
  create unlogged table rate_window (
    key text primary key,
    count int not null,
    ends_at timestamptz(3) not null
  );
  create index rate_window_ends_at on rate_window (ends_at);`;

/**
 * Counts a client's calls of an open operation before any other work: the handler of a service's
 * Limits rpc.
 */
export function countAddress(limiter: Limiter, limits: Readonly<Record<string, Limit>>) {
  return async ({
    rate,
    ip,
    report,
  }: {
    rate: string;
    ip: string;
    report: boolean;
  }): Promise<Partial<LimitState>> => {
    const limit = limits[rate];
    if (!limit) return {};
    const state = await limiter.count(`address ${rate} ${callerNetwork(ip)}`, limit);
    // Older gateways expect the error.
    if (state.exceeded && !report) throw tooMany(state.resetSeconds);
    return state;
  };
}

/**
 * The conflict clause of an insert into `rate_window as w`: adds uses to the window, or begins a new
 * one.
 */
export const addUses = (uses: string): string =>
  `on conflict (key) do update set
     count = case when w.ends_at <= now() then ${uses} else w.count + ${uses} end,
     ends_at = case when w.ends_at <= now() then excluded.ends_at else w.ends_at end`;

const take: Statement<
  { count: number; seconds_left: number },
  [key: string, seconds: number, uses: number]
> = {
  name: 'shared.rate_window_take',
  text: `insert into rate_window as w (key, count, ends_at) values ($1, $3, now() + make_interval(secs => $2))
         ${addUses('$3')}
         returning count, ceil(extract(epoch from ends_at - now()))::int as seconds_left`,
};

// The order keeps statements of several processes from waiting for each other's rows.
const takeEach: Statement<
  { key: string; count: number; seconds_left: number },
  [keys: readonly string[], seconds: readonly number[]]
> = {
  name: 'shared.rate_window_take_each',
  text: `insert into rate_window as w (key, count, ends_at)
         select key, count(*)::int, now() + make_interval(secs => max(seconds))
         from unnest($1::text[], $2::int[]) as u (key, seconds) group by key order by key
         ${addUses('excluded.count')}
         returning key, count, ceil(extract(epoch from ends_at - now()))::int as seconds_left`,
};

const sweep: Statement<never, []> = {
  name: 'shared.rate_window_sweep',
  text: 'delete from rate_window where ends_at < now()',
};

/** Deletes a tenant's counts: their keys contain its id as a word. */
export async function purgeCounts(tx: Transaction, tenant: string): Promise<void> {
  await tx.query("delete from rate_window where $1 = any (string_to_array(key, ' '))", [tenant]);
}

/** The state of a limit after one use. */
export type LimitState = {
  limit: number;
  windowSeconds: number;
  remaining: number;
  resetSeconds: number;
  exceeded: boolean;
};

const tooMany = (retryAfter: number) => exhausted('too many requests, try again later', retryAfter);

/** The uses of a key in its window, after a statement counted one; `left`: seconds of the window. */
export type Counted = { used: number; left: number };

/**
 * Checks a use that a service counted in a statement of its own, together with other work.
 * @throws resource_exhausted beyond the limit
 */
export function assertWithin(limit: Limit, counted: Counted): void {
  const { exceeded, resetSeconds } = stateOf(limit, counted);
  if (exceeded) throw tooMany(resetSeconds);
}

const stateOf = (limit: Limit, { used, left: secondsLeft }: Counted): LimitState => ({
  limit: limit.count,
  windowSeconds: limit.seconds,
  remaining: Math.max(0, limit.count - used),
  // The end is stored in milliseconds, so rounding up may give one second too many.
  resetSeconds: Math.min(limit.seconds, Math.max(1, secondsLeft)),
  exceeded: used > limit.count,
});

/** Counts uses and compares them with a limit. */
export type Limiter = ReturnType<typeof createLimiter>;

/** Counts `uses` of a key. `used`: all uses in its window, these included; `left`: in seconds. */
async function countUses(run: Run, key: string, seconds: number, uses: number): Promise<Counted> {
  const [row] = await run(take, [key, seconds, uses]);
  return { used: row?.count ?? 0, left: row?.seconds_left ?? seconds };
}

/** Uses that one caller counts together. */
type Uses = {
  size: number;
  resolve: (counted: Counted) => void;
  reject: (error: unknown) => void;
};

/** The pause after a statement that counted the uses of several callers, so that more share the next one. */
const restMs = 2;

/**
 * Counts the uses of a key that arrive during a statement together in the next one. Otherwise they
 * would wait for each other in the database, for the lock of the key's row.
 */
function createSharedCount(run: Run) {
  const waiting = new Map<string, Uses[]>();

  async function countAll(key: string, seconds: number): Promise<void> {
    for (let callers = takeAll(key); callers.length > 0; callers = takeAll(key)) {
      const sum = callers.reduce((total, { size }) => total + size, 0);
      try {
        const { used: after, left } = await countUses(run, key, seconds, sum);
        let used = after - sum;
        for (const { size, resolve } of callers) {
          used += size;
          resolve({ used, left });
        }
      } catch (error) {
        for (const { reject } of callers) reject(error);
      }
      if (callers.length > 1) await sleep(restMs);
    }
    waiting.delete(key);
  }

  function takeAll(key: string): Uses[] {
    const callers = waiting.get(key) ?? [];
    waiting.set(key, []);
    return callers;
  }

  return (key: string, seconds: number, size: number): Promise<Counted> =>
    new Promise((resolve, reject) => {
      const callers = waiting.get(key);
      if (callers) return void callers.push({ size, resolve, reject });
      waiting.set(key, [{ size, resolve, reject }]);
      void countAll(key, seconds);
    });
}

type Use = { key: string; limit: Limit };

/** Counts one use of each key, several times of a key that is named several times. */
async function countEach(run: Run, uses: readonly Use[]): Promise<Counted[]> {
  const rows = await run(takeEach, [
    uses.map(({ key }) => key),
    uses.map(({ limit }) => limit.seconds),
  ]);
  const counted = new Map(rows.map((row) => [row.key, row]));
  // The last use of a key is the one that the statement has counted to.
  return uses
    .toReversed()
    .map(({ key, limit }) => {
      const row = counted.get(key);
      const used = row ? row.count-- : 0;
      return { used, left: row?.seconds_left ?? limit.seconds };
    })
    .toReversed();
}

/** Creates a limiter that counts in the table `rate_window` of a service. */
export function createLimiter(database: Database) {
  const countTogether = createSharedCount(onPool(database));
  const countInBatch = createBatch((uses: readonly Use[]) => countEach(onPool(database), uses), {
    atOnce: 1,
  });

  /** Counts one use, in the transaction of `run` if given. */
  async function count(key: string, limit: Limit, run?: Run): Promise<LimitState> {
    const counted = await (run
      ? countUses(run, key, limit.seconds, 1)
      : countTogether(key, limit.seconds, 1));
    return stateOf(limit, counted);
  }

  /** Counts one use. Returns the seconds until the next is allowed, 0 = this one is allowed. */
  async function use(key: string, limit: Limit, run?: Run): Promise<number> {
    const { exceeded, resetSeconds } = await count(key, limit, run);
    return exceeded ? resetSeconds : 0;
  }
  return {
    count,
    use,
    /** Like `use`, in one statement with the uses of other keys that arrive during the last one. */
    async useInBatch(key: string, limit: Limit): Promise<number> {
      const { exceeded, resetSeconds } = stateOf(limit, await countInBatch({ key, limit }));
      return exceeded ? resetSeconds : 0;
    },
    /** Counts one use. @throws resource_exhausted beyond the limit */
    async take(key: string, limit: Limit, run?: Run): Promise<void> {
      const wait = await use(key, limit, run);
      if (wait > 0) throw tooMany(wait);
    },
    /**
     * Counts several uses. `allowed`: how many of them, the first ones, are within the limit;
     * `refusal`: the error of the others.
     */
    async takeSeveral(
      key: string,
      limit: Limit,
      uses: number,
    ): Promise<{ allowed: number; refusal: ServiceError }> {
      const counted = await countTogether(key, limit.seconds, uses);
      const before = counted.used - uses;
      return {
        allowed: Math.min(uses, Math.max(0, limit.count - before)),
        refusal: tooMany(stateOf(limit, counted).resetSeconds),
      };
    },
    async sweep(): Promise<void> {
      await database.query(sweep, []);
    },
  };
}
