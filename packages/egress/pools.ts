import { connect, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { limitAnswers, limitHandshake } from './answer-limit.ts';
import { acceptContinue } from './continue.ts';
import { createProxy } from './proxy.ts';
import type { Address } from './resolver.ts';

/** Kept-alive connections to receivers. */
export type Pools = ReturnType<typeof createPools>;

type PoolOptions = {
  connectMs: number;
  /** The longest duration of any request. */
  totalMs: number;
  /** The most bytes that any request reads of a body. */
  answerBytes: number;
  /** The egress proxy's URL, '' = none. */
  proxy?: string;
};

const maxPools = 2000;
const keepAliveProbeMs = 60_000;

/**
 * Kept-alive connections to receivers. A pool belongs to an origin and the addresses checked for
 * it, and dials no others: if the name resolves differently, the new addresses are checked and get
 * another pool.
 */
export function createPools({
  connectMs,
  totalMs,
  answerBytes,
  proxy: proxyUrl = '',
}: PoolOptions) {
  const pools = new Map<string, Pool>();
  const proxy = proxyUrl === '' ? undefined : createProxy(proxyUrl, { connectMs });

  function create(origin: string, addresses: readonly Address[]): Pool {
    return new Pool(origin, {
      // Unlimited: endpoints of several tenants may share an origin, and none waits for another's
      // connection.
      connections: null,
      allowH2: false,
      keepAliveTimeout: 10_000,
      keepAliveMaxTimeout: 30_000,
      headersTimeout: totalMs,
      bodyTimeout: totalMs,
      maxHeaderSize: 16 * 1024,
      connect: connectorTo(addresses, { proxy, connectMs, answerBytes }),
    });
  }

  return {
    /** The pool for a URL whose host resolved to these checked addresses. */
    for(url: URL, addresses: readonly Address[]): Pool {
      const key = `${url.origin} ${addresses
        .map(({ address }) => address)
        .sort()
        .join(' ')}`;
      const pool = pools.get(key) ?? create(url.origin, addresses);
      // Moves the pool to the end: the least recently used one is evicted.
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

type ConnectorOptions = {
  proxy: ReturnType<typeof createProxy> | undefined;
  connectMs: number;
  answerBytes: number;
};

// TLS is end to end with the receiver's name: a proxy sees neither headers nor bodies.
function connectorTo(
  addresses: readonly Address[],
  { proxy, connectMs, answerBytes }: ConnectorOptions,
): buildConnector.connector {
  // Responses are short and signatures cover one HTTP/1.1 body: HTTP/2 would only add complexity.
  const secure = buildConnector({
    timeout: connectMs,
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    allowH2: false,
  });
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const port = Number(options.port) || (isSecure ? 443 : 80);
    const opening = proxy
      ? proxy.open(addresses, port)
      : dial({ host: options.hostname, port, addresses, timeoutMs: connectMs });
    opening.then(
      (wire) => {
        const endHandshake = isSecure ? limitHandshake(wire) : undefined;
        const ready: buildConnector.Callback = (...[error, socket]) => {
          endHandshake?.();
          if (!socket) return callback(error ?? new Error('there is no socket'), null);
          acceptContinue(socket);
          limitAnswers(socket, wire, answerBytes);
          callback(null, socket);
        };
        return isSecure ? secure({ ...options, httpSocket: wire }, ready) : ready(null, wire);
      },
      (error: Error) => callback(error, null),
    );
  };
}

type Dial = { host: string; port: number; addresses: readonly Address[]; timeoutMs: number };

/** Opens a TCP connection to the first address that answers. */
function dial({ host, port, addresses, timeoutMs }: Dial): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      lookup: pinned(addresses),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: keepAliveProbeMs,
    });
    const timer = setTimeout(
      () =>
        socket.destroy(
          Object.assign(new Error('the connection took too long'), { code: 'ETIMEDOUT' }),
        ),
      timeoutMs,
    );
    socket.once('close', () => clearTimeout(timer)).once('error', reject);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** A look-up function that returns the checked addresses. */
export function pinned(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    const usable = addresses.filter(
      ({ family }) =>
        !options.family || options.family === family || options.family === `IPv${family}`,
    );
    const first = usable[0];
    if (!first)
      callback(Object.assign(new Error('no address of this family'), { code: 'ENOTFOUND' }), '');
    else if (options.all) callback(null, [...usable]);
    else callback(null, first.address, first.family);
  };
}
