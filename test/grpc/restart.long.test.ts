import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { asService, createHttpTransport } from '@bailiwick/wire';
import { createGrpcTransport } from '@bailiwick/wire/grpc';
import { type Client, createClient } from '@connectrpc/connect';
import { takePort } from '../support/ports.ts';
import type { CountingOptions } from './counting-service.ts';

// A service under constant load loses no call and processes no change twice.

const callers = 16;
const wires = ['http', 'grpc'] as const;

/** Starts a counting service in its own process, and a client. */
async function startService(
  t: TestContext,
  wire: (typeof wires)[number],
  more: Partial<CountingOptions> = {},
) {
  const [port, grpcPort] = [await takePort(), await takePort()];
  const options: CountingOptions = { host: loopback, port, grpcPort, ...more };
  const service = fork(path.join(import.meta.dirname, 'counting-service.ts'), [
    JSON.stringify(options),
  ]);
  await once(service, 'message');
  const own = { audience: 'test', sign: () => 'token' };
  const transport =
    wire === 'http'
      ? createHttpTransport({ ...own, url: `http://${loopback}:${port}` })
      : createGrpcTransport({ ...own, url: `dns:///${loopback}:${grpcPort}` });
  t.after(async () => {
    service.disconnect();
    await transport.close();
  });
  const ask = async (command: string): Promise<unknown> => {
    service.send(command);
    const [answer] = (await once(service, 'message')) as [unknown];
    return answer;
  };
  return { groups: createClient(Groups, asService(transport, 'test')), ask };
}

/** Calls until `meanwhile` ends. Fails if a call gets no answer or a change is not made once. */
async function assertNothingLost(
  groups: Client<typeof Groups>,
  ask: (command: string) => Promise<unknown>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  let isOver = false;
  let calls = 0;
  const callOn = async () => {
    while (!isOver) {
      const id = `call-${calls++}`;
      const call =
        calls % 4 === 0
          ? groups.get({ tenant: 't', path: id })
          : groups.save({ group: { tenant: 't', path: id } });
      await call.catch((error: unknown) => failures.push(error));
      await sleep(Math.random() * 20);
    }
  };
  const load = Array.from({ length: callers }, callOn);
  await meanwhile();
  isOver = true;
  await Promise.all(load);
  assert.deepEqual(failures, []);
  const counts = (await ask('counts')) as Array<[string, number]>;
  assert.equal(counts.length, calls);
  const changes = counts.filter(([id]) => id.startsWith('Save '));
  assert.ok(changes.length > calls / 2);
  const notOnce = changes.filter(([, times]) => times !== 1);
  assert.deepEqual(notOnce, []);
}

for (const wire of wires) {
  test(`a service with one replica restarts under load: every call over ${wire} is answered, every change made once`, async (t) => {
    const { groups, ask } = await startService(t, wire);
    await assertNothingLost(groups, ask, async () => {
      for (let restart = 0; restart < 30; restart++) {
        await sleep(50);
        await ask('restart');
      }
    });
  });
}

test('gRPC connections are replaced under load: every call is answered, every change made once', async (t) => {
  const { groups, ask } = await startService(t, 'grpc', { connectionAgeMs: 50 });
  await assertNothingLost(groups, ask, () => sleep(4000));
});
