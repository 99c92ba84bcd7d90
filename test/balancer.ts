import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

// What Kubernetes does between the processes, for tests with several replicas: it asks for readiness, and each new connection to a
// service goes to one of the replicas that are ready. Connections that are there stay where they are.

export type Replica = { port: number; admin: number };

/** Which of the replicas said at the last look that they are ready: all of them until one says no. */
export function watchReadiness(replicas: readonly Replica[], intervalMs = 100) {
  const away = new Set<Replica>();
  let stopped = false;
  const look = async (replica: Replica) => {
    const isReady = await fetch(`http://${loopback}:${replica.admin}/readyz`, {
      signal: AbortSignal.timeout(2000),
    }).then(
      async (response) => (await response.body?.cancel(), response.ok),
      () => false,
    );
    if (isReady) away.delete(replica);
    else away.add(replica);
  };
  const looked = Promise.all(replicas.map(look));
  const looking = replicas.map(async (replica) => {
    for (await looked; !stopped; await sleep(intervalMs)) await look(replica);
  });
  return {
    /** When each of them has been asked. */
    looked,
    ready: () => replicas.filter((replica) => !away.has(replica)),
    async stop() {
      stopped = true;
      await Promise.all(looking);
    },
  };
}

/** The one address of a service: takes a connection to the next replica that is ready. */
export async function startBalancer(
  replicas: readonly Replica[],
): Promise<{ url: string; close(): Promise<void> }> {
  const readiness = watchReadiness(replicas);
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const ready = readiness.ready();
    const replica = ready[turn++ % Math.max(ready.length, 1)];
    if (!replica) return void client.destroy();
    const upstream = connect({ host: loopback, port: replica.port, allowHalfOpen: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket
        .on('error', () => other.destroy())
        .on('close', () => (sockets.delete(socket), other.destroySoon()));
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, loopback, resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://${loopback}:${port}`,
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await readiness.stop();
    },
  };
}
