import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { errors, Pool } from 'undici';
import type { Address } from './resolver.ts';

/** No further address is tried after this time: the attempt has ended, or is about to. */
const openMs = 10_000;

/** A failure of the egress proxy, not of the receiver. */
export class ProxyFault extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ProxyFault';
  }
}

/**
 * An HTTP proxy that opens tunnels (CONNECT) to addresses, never to names: it must not resolve a
 * name again to an unchecked address. undici's own ProxyAgent passes the name on.
 */
export function createProxy(url: string, { connectMs }: { connectMs: number }) {
  const { origin, headers } = parseProxy(url);
  const pool = new Pool(origin, {
    allowH2: false,
    connect: { timeout: connectMs },
    headersTimeout: connectMs,
    maxHeaderSize: 16 * 1024,
  });

  /** @throws ProxyFault, or a timeout if the proxy gets no response from the address */
  async function openOne({ address, family }: Address, port: number): Promise<Socket> {
    const path = family === 6 ? `[${address}]:${port}` : `${address}:${port}`;
    // undici retries if a connection closes before the request is sent: limit this for a proxy that
    // always closes.
    const signal = AbortSignal.timeout(2 * connectMs);
    const { statusCode, socket } = await pool
      .connect({ path, headers: { ...headers, host: path }, signal })
      .catch((error: unknown) => {
        // The proxy accepted the request: the receiver is the one that does not respond.
        if (error instanceof errors.HeadersTimeoutError) throw error;
        throw new ProxyFault('the egress proxy cannot be reached', error);
      });
    // undici's type is a stream, but it is the connection's socket.
    if (statusCode >= 200 && statusCode < 300) return socket as Socket;
    socket.on('error', () => {}).destroy();
    if (statusCode === 504)
      throw Object.assign(new Error('the egress proxy got no response'), { code: 'ETIMEDOUT' });
    throw new ProxyFault(`the egress proxy answered ${statusCode}`);
  }

  return {
    /** A connection to the first address that the proxy reaches. */
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

/** Parses a proxy's URL. The error does not quote it, since it may contain a password. */
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
    throw new Error('has a bare % in its user or password: write it as %25');
  }
}
