import { type HttpHandler, type HttpOptions, type Listener, listenHttp } from '@bailiwick/process';

const loopback = '127.0.0.1';
const loopback6 = '::1';

/** The errors of a machine without the address. */
const missing = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];

type Place = { host: string; port: number; publicUrl: string };

/**
 * Opens the gateway's listener. The local start's links name localhost, which a browser may take for
 * ::1 as well as for 127.0.0.1: the same port then listens on both, where the machine has both.
 */
export async function listenGatewayHttp(
  { host, port, publicUrl }: Place,
  handle: HttpHandler,
  options: HttpOptions,
): Promise<Listener> {
  const listener = await listenHttp(host, port, handle, options);
  if (host !== loopback || new URL(publicUrl).hostname !== 'localhost') return listener;
  const other = await listenHttp(loopback6, listener.port, handle, options).catch(
    async (error: NodeJS.ErrnoException) => {
      if (missing.includes(error.code ?? '')) return undefined;
      await listener.drain();
      throw error;
    },
  );
  if (!other) return listener;
  return {
    port: listener.port,
    disableKeepAlive() {
      listener.disableKeepAlive();
      other.disableKeepAlive();
    },
    async drain() {
      await Promise.all([listener.drain(), other.drain()]);
    },
  };
}
