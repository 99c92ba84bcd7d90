import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { errors, Pool } from 'undici';
import type { Address } from './resolver.ts';

/** No other address is tried after this: the attempt that wanted it has ended, or is about to. */
const openMs = 10_000;

/** Why the egress proxy let a request not out. The receiver has no part in it. */
export class ProxyFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ProxyFault';
  }
}

export type Proxy = ReturnType<typeof createProxy>;

/**
 * An HTTP proxy that is asked for tunnels (CONNECT) to addresses, never to names: it must not look a name up again and find
 * something else than what was checked. undici's own ProxyAgent passes the name on.
 */
export function createProxy(url: string, { connectMs }: { connectMs: number }) {
  const { origin, headers } = parseProxy(url);
  const pool = new Pool(origin, {
    allowH2: false,
    connect: { timeout: connectMs },
    headersTimeout: connectMs,
    maxHeaderSize: 16 * 1024,
  });

  /** Throws ProxyFault, or for an address that the proxy finds silent a time-out. */
  async function openOne({ address, family }: Address, port: number): Promise<Socket> {
    const path = family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    // undici asks again where a connection closes before the request is on it: a proxy that always does so must not keep it busy.
    const signal = AbortSignal.timeout(2 * connectMs);
    const { statusCode, socket } = await pool
      .connect({ path, headers: { ...headers, host: path }, signal })
      .catch((error: unknown) => {
        // It took the request: what it waits for in vain is the receiver.
        if (error instanceof errors.HeadersTimeoutError) throw error;
        throw new ProxyFault('the egress proxy cannot be reached', error);
      });
    // undici types it as a stream; it is the connection's socket.
    if (statusCode >= 200 && statusCode < 300) return socket as Socket;
    socket.on('error', () => {}).destroy();
    if (statusCode === 504)
      throw Object.assign(new Error('the egress proxy waited in vain'), { code: 'ETIMEDOUT' });
    throw new ProxyFault(`the egress proxy answered ${statusCode}`);
  }

  return {
    /** A connection to the first of the addresses that the proxy reaches. */
    async open(addresses: readonly Address[], port: number): Promise<Socket> {
      let last: unknown;
      const deadline = performance.now() + openMs;
      for (const address of addresses) {
        if (last !== undefined && performance.now() > deadline) break;
        try {
          return await openOne(address, port);
        } catch (error) {
          last = error;
        }
      }
      throw last;
    },
    close: () => pool.destroy(),
  };
}

/** Reads a proxy's URL. Throws, without quoting it: it may hold a password. */
export function parseProxy(text: string): { origin: string; headers: Record<string, string> } {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new Error(
      'must be http://host:port, with user:password@ before the host where the proxy wants them',
    );
  }
  const { origin, username, password } = url;
  if (username + password === '') return { origin, headers: {} };
  const credentials = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  return { origin, headers: { 'proxy-authorization': `Basic ${credentials}` } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Error('has a % in its user or password that is none: it is written %25');
  }
}
