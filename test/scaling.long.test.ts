import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { asService, createHttpTransport, type WireTransport } from '@bailiwick/wire';
import { type Client, createClient } from '@connectrpc/connect';
import type { CountingOptions } from './grpc/counting-service.ts';
import { startBalancer } from './support/balancer.ts';
import { startDns } from './support/dns-server.ts';
import { takePort } from './support/ports.ts';

// A service under constant load is scaled up by two processes and down again. The caller keeps one
// connection pool or channel.

const callers = 16;
const own = { audience: 'test', sign: () => 'token' };
/** The maximum age of a connection with its jitter of a tenth, and a second for closing. */
const noticedMs = 13_000;
const sampleMs = 1500;
/** An even share is a third. */
const leastShare = 0.12;

type Replica = Awaited<ReturnType<typeof startReplica>>;

async function startReplica(t: TestContext, options: CountingOptions) {
  const child = fork(path.join(import.meta.dirname, 'grpc/counting-service.ts'), [
    JSON.stringify(options),
  ]);
  t.after(() => child.connected && child.disconnect());
  await once(child, 'message');
  const ask = async (command: string): Promise<unknown> => {
    child.send(command);
    const [answer] = (await once(child, 'message')) as [unknown];
    return answer;
  };
  return {
    counts: async () => (await ask('counts')) as Array<[string, number]>,
    /** Does what SIGTERM does: becomes unready, and later closes the listeners. */
    end: () => ask('end'),
  };
}

type Topology = {
  transport: WireTransport;
  start(index: number): Promise<Replica>;
  /** Makes these replicas discoverable. */
  announce(indexes: readonly number[]): void;
};

/** One address that balances connections between ready replicas, as a Kubernetes Service. */
async function behindOneAddress(t: TestContext): Promise<Topology> {
  const replicas = await Promise.all(
    [0, 1, 2].map(async () => ({
      port: await takePort(),
      grpcPort: await takePort(),
      admin: await takePort(),
    })),
  );
  const balancer = await startBalancer(replicas);
  t.after(() => balancer.close());
  return {
    transport: createHttpTransport({ ...own, url: balancer.url }),
    start: (index) => {
      const { admin: adminPort, ...ports } = replicas[index] ?? assert.fail();
      return startReplica(t, { host: loopback, ...ports, adminPort });
    },
    announce: () => {},
  };
}

/** One name with the addresses of all replicas, as a headless Service. */
async function behindOneName(t: TestContext): Promise<Topology> {
  const dns = await startDns();
  t.after(() => dns.stop());
  const [port, grpcPort] = [await takePort(), await takePort()];
  const addressOf = (index: number) => `127.0.0.${index + 2}`;
  // Without it, grpc-js uses the system resolver, which the test cannot control.
  process.env['GRPC_NODE_USE_ALTERNATIVE_RESOLVER'] = 'true';
  const { createGrpcTransport } = await import('@bailiwick/wire/grpc');
  dns.set('access.test', { addresses: [addressOf(0)] });
  return {
    transport: createGrpcTransport({ ...own, url: `dns://${dns.address}/access.test:${grpcPort}` }),
    start: (index) => startReplica(t, { host: addressOf(index), port, grpcPort }),
    announce: (indexes) => dns.set('access.test', { addresses: indexes.map(addressOf) }),
  };
}

function callOn(groups: Client<typeof Groups>) {
  const failures: unknown[] = [];
  let calls = 0;
  let isOver = false;
  const load = Array.from({ length: callers }, async () => {
    while (!isOver) {
      await groups
        .save({ group: { tenant: 't', path: `call-${calls++}` } })
        .catch((error: unknown) => failures.push(error));
      await sleep(Math.random() * 10);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(load);
    return { calls, failures };
  };
  return { stop };
}

/** The share of calls that each replica gets during a sample. */
async function sharesOf(replicas: readonly Replica[]): Promise<number[]> {
  const read = () => Promise.all(replicas.map(async (replica) => (await replica.counts()).length));
  const before = await read();
  await sleep(sampleMs);
  const got = (await read()).map((count, index) => count - (before[index] ?? 0));
  const all = got.reduce((sum, count) => sum + count, 0);
  return got.map((count) => count / all);
}

for (const [name, open] of [
  ['HTTP behind one address', behindOneAddress],
  ['gRPC behind one name', behindOneName],
] as const) {
  test(`a service scales from one process to three and back under load over ${name}: new processes get calls, and none fails`, async (t) => {
    const { transport, start, announce } = await open(t);
    t.after(() => transport.close());
    const first = await start(0);
    const load = callOn(createClient(Groups, asService(transport, 'test')));
    await sleep(2000);

    const replicas = [first, await start(1), await start(2)];
    announce([0, 1, 2]);
    const began = performance.now();
    let shares = await sharesOf(replicas);
    while (
      shares.some((share) => share < leastShare) &&
      performance.now() - began < noticedMs + sampleMs
    )
      shares = await sharesOf(replicas);
    t.diagnostic(
      `${Math.round(performance.now() - began)} ms: ${shares.map((share) => `${Math.round(share * 100)} %`).join(', ')}`,
    );
    assert.ok(
      shares.every((share) => share >= leastShare),
      shares.join(),
    );

    announce([0]);
    await Promise.all(replicas.slice(1).map((replica) => replica.end()));
    assert.deepEqual(await sharesOf(replicas), [1, 0, 0]);
    const { calls, failures } = await load.stop();
    assert.deepEqual(failures.slice(0, 3), []);
    const counted = (await Promise.all(replicas.map((replica) => replica.counts()))).flat();
    assert.equal(counted.length, calls, 'no call was processed twice');
    assert.ok(counted.every(([, times]) => times === 1));
    assert.ok(calls > 500, String(calls));
  });
}
