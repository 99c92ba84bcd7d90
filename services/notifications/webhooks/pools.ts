import type { LookupFunction } from 'node:net';
import { Pool } from 'undici';

export type Address = { address: string; family: 4 | 6 };
export type Pools = ReturnType<typeof createPools>;

const maxPools = 2000;

/**
 * Kept-alive connections to receivers. A pool belongs to an origin and the addresses that were checked for it,
 * and dials nothing else: a name that changes its mind gets another pool after another check.
 */
export function createPools({ connections, connectMs, totalMs }: { connections: number; connectMs: number; totalMs: number }) {
  const pools = new Map<string, Pool>();

  function create(origin: string, addresses: readonly Address[]): Pool {
    return new Pool(origin, {
      connections,
      // The answers are short and the signatures bound to HTTP/1.1's one body: h2 would only add a state machine.
      allowH2: false,
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: totalMs,
      bodyTimeout: totalMs,
      maxHeaderSize: 16 * 1024,
      connect: { timeout: connectMs, minVersion: 'TLSv1.2', rejectUnauthorized: true, lookup: pinned(addresses) },
    });
  }

  return {
    /** The pool for a URL whose host was resolved to `addresses` and found good. */
    for(url: URL, addresses: readonly Address[]): Pool {
      const key = `${url.origin} ${addresses
        .map(({ address }) => address)
        .sort()
        .join(' ')}`;
      const pool = pools.get(key) ?? create(url.origin, addresses);
      // Last used last: the first one is let go of when there are too many.
      pools.delete(key);
      pools.set(key, pool);
      const oldest = pools.entries().next();
      if (pools.size > maxPools && !oldest.done) {
        pools.delete(oldest.value[0]);
        void oldest.value[1].close();
      }
      return pool;
    },
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
      pools.clear();
    },
  };
}

/** Answers a look-up with the addresses that were checked. */
export function pinned(addresses: readonly Address[]): LookupFunction {
  return (_host, options, done) => {
    const usable = addresses.filter(({ family }) => !options.family || options.family === family || options.family === `IPv${family}`);
    const first = usable[0];
    if (!first) done(Object.assign(new Error('no address of this family'), { code: 'ENOTFOUND' }), '');
    else if (options.all) done(null, [...usable]);
    else done(null, first.address, first.family);
  };
}
