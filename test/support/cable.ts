import { connect, createServer, type Socket } from 'node:net';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

/** A TCP proxy to a server. `hold` delays all data, and `goOn` delivers it. */
export async function startCable(serverUrl: string) {
  const { hostname: host, port } = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let queue: Array<() => void> | undefined;
  /** Connections whose data is dropped. */
  const lost = new WeakSet<Socket>();
  const now = (from: Socket, work: () => void) => {
    if (lost.has(from)) return;
    if (queue) queue.push(work);
    else work();
  };
  const listener = createServer((client) => {
    const upstream = connect({ host, port: Number(port) });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => now(from, () => to.write(chunk)));
      from.on('error', () => to.destroy());
      from.on('close', () => (sockets.delete(from), to.destroySoon()));
    }
  });
  await new Promise<void>((resolve) => listener.listen(0, loopback, resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const own = (listener.address() as { port: number }).port;
  return {
    url: serverUrl.replace(`${host}:${port}`, `${loopback}:${own}`),
    hold: () => void (queue ??= []),
    goOn() {
      const waiting = queue ?? [];
      queue = undefined;
      for (const work of waiting) work();
    },
    /** Drops held and later data of the present connections, which stay open. New ones work. */
    lose() {
      for (const socket of sockets) lost.add(socket);
      queue = undefined;
    },
    /** Closes all connections. New ones work, or are held. */
    cut,
    close() {
      listener.close();
      cut();
    },
  };
}
