import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';

// Load balancing between replicas as in Kubernetes: it polls readiness and sends each new
// connection to a ready replica. Open connections stay on their replica.

export type Replica = { port: number; admin: number };

/** How long a probe waits for its response. */
const probeTimeoutMs = 2000;
/**
 * The pre-drain period of processes that are replaced under load: clients of a busy machine may need
 * two slow probes and a pause to notice that a process is not ready.
 */
export const preDrainMs = 3 * probeTimeoutMs;

/**
 * Polls the readiness of replicas. A replica counts as ready until a probe fails; a probe without a
 * response in time does not change its state, since a busy machine delays it.
 */
export function watchReadiness(replicas: readonly Replica[], intervalMs = 100) {
  const away = new Set<Replica>();
  let stopped = false;
  const probe = async (replica: Replica) => {
    const isReady: boolean | undefined = await fetch(`http://${loopback}:${replica.admin}/readyz`, {
      signal: AbortSignal.timeout(probeTimeoutMs),
    }).then(
      async (response) => (await response.body?.cancel(), response.ok),
      (error: Error) => (error.name === 'TimeoutError' ? undefined : false),
    );
    if (isReady === true) away.delete(replica);
    else if (isReady === false) away.add(replica);
  };
  const probed = Promise.all(replicas.map(probe));
  const probing = replicas.map(async (replica) => {
    for (await probed; !stopped; await sleep(intervalMs)) await probe(replica);
  });
  return {
    /** Resolves after the first probe of every replica. */
    probed,
    ready: () => replicas.filter((replica) => !away.has(replica)),
    async stop() {
      stopped = true;
      await Promise.all(probing);
    },
  };
}

/** The single address of a service: connects each client to the next ready replica. */
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
