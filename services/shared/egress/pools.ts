import type { LookupFunction } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { AnswerTooLarge } from './failure.ts';
import { createProxy, throughProxy } from './proxy.ts';
import type { Address } from './resolver.ts';

export type Pools = ReturnType<typeof createPools>;

type PoolOptions = {
  connectMs: number;
  /** The longest that any request may take. */
  totalMs: number;
  /** The egress proxy's URL, '' where there is none. */
  proxy?: string;
};

const maxPools = 2000;
/** No body is read beyond a MiB. Twice that within this time is a flood, and not an answer of that size with the next one behind it. */
const floodBytes = 2 * 1024 * 1024;
const floodMs = 100;

/**
 * Kept-alive connections to receivers. A pool belongs to an origin and the addresses that were checked for it,
 * and dials nothing else: a name that changes its mind gets another pool after another check.
 */
export function createPools({ connectMs, totalMs, proxy: proxyUrl = '' }: PoolOptions) {
  const pools = new Map<string, Pool>();
  const proxy = proxyUrl === '' ? undefined : createProxy(proxyUrl, { connectMs });

  function connectorTo(addresses: readonly Address[]): buildConnector.connector {
    // The answers are short and the signatures bound to HTTP/1.1's one body: h2 would only add a state machine.
    const direct = buildConnector({
      timeout: connectMs,
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      allowH2: false,
      lookup: pinned(addresses),
    });
    return bounded(proxy ? throughProxy(proxy, addresses, direct) : direct);
  }

  function create(origin: string, addresses: readonly Address[]): Pool {
    return new Pool(origin, {
      // As many as there are attempts: endpoints of several tenants may be at one origin, and none waits for another's connection.
      connections: null,
      allowH2: false,
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: totalMs,
      bodyTimeout: totalMs,
      maxHeaderSize: 16 * 1024,
      connect: connectorTo(addresses),
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
      await Promise.all([...[...pools.values()].map((pool) => pool.destroy()), proxy?.close()]);
      pools.clear();
    },
  };
}

/**
 * Closes a connection on which more arrives than any answer has. What the limits of an answer do not count (blank lines, a
 * reason phrase or a chunk's extension without end) would keep the parser busy for as long as a request may take.
 */
function bounded(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connector(options, (error, socket) => {
      if (!socket) return callback(error ?? new Error('there is no socket'), null);
      let seen = 0;
      const watch = setInterval(() => {
        if (socket.bytesRead - seen > floodBytes) socket.destroy(new AnswerTooLarge());
        seen = socket.bytesRead;
      }, floodMs);
      watch.unref();
      socket.once('close', () => clearInterval(watch));
      callback(null, socket);
    });
}

/** Answers a look-up with the addresses that were checked. */
export function pinned(addresses: readonly Address[]): LookupFunction {
  return (_host, options, done) => {
    const usable = addresses.filter(
      ({ family }) =>
        !options.family || options.family === family || options.family === `IPv${family}`,
    );
    const first = usable[0];
    if (!first)
      done(Object.assign(new Error('no address of this family'), { code: 'ENOTFOUND' }), '');
    else if (options.all) done(null, [...usable]);
    else done(null, first.address, first.family);
  };
}
