import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, loopback } from '@bailiwick/deploy/local/ports.ts';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { asService, createHttpTransport, type WireTransport } from '@bailiwick/shared/rpc.ts';
import { createGrpcTransport } from '@bailiwick/shared/rpc-grpc.ts';
import { type Client, createClient } from '@connectrpc/connect';

// The only replica of a service ends and comes again, without notice, while others call it: no call is lost, and none that changes
// something is processed twice.

const restarts = 40;
const callers = 16;

for (const wire of ['http', 'grpc'] as const) {
  describe(`a service that restarts under load, over ${wire}`, () => {
    let service: ChildProcess;
    let transport: WireTransport;
    let groups: Client<typeof Groups>;
    before(async () => {
      const [port = 0, grpcPort = 0] = await freePorts(2);
      service = fork(path.join(import.meta.dirname, 'counting-service.ts'), [String(port), String(grpcPort)]);
      await once(service, 'message');
      const options = { audience: 'test', sign: () => 'token' };
      transport =
        wire === 'http'
          ? createHttpTransport({ ...options, url: `http://${loopback}:${port}` })
          : createGrpcTransport({ ...options, url: `dns:///${loopback}:${grpcPort}` });
      groups = createClient(Groups, asService(transport, 'test'));
    });
    after(async () => {
      service?.disconnect();
      await transport?.close();
    });

    const ask = async (command: string): Promise<unknown> => {
      service.send(command);
      const [answer] = (await once(service, 'message')) as [unknown];
      return answer;
    };

    test('every call is answered, and every change is made once', async () => {
      const failures: unknown[] = [];
      let done = false;
      let calls = 0;
      const callOn = async () => {
        while (!done) {
          const id = `call-${calls++}`;
          const call = calls % 4 === 0 ? groups.get({ tenant: 't', path: id }) : groups.save({ group: { tenant: 't', path: id } });
          await call.catch((error: unknown) => failures.push(error));
          await sleep(Math.random() * 20);
        }
      };
      const load = Array.from({ length: callers }, callOn);
      for (let restart = 0; restart < restarts; restart++) {
        await sleep(50);
        await ask('restart');
      }
      done = true;
      await Promise.all(load);
      assert.deepEqual(failures, []);
      const counts = (await ask('counts')) as Array<[string, number]>;
      assert.equal(counts.length, calls);
      const changes = counts.filter(([id]) => id.startsWith('Save '));
      assert.ok(changes.length > calls / 2);
      assert.deepEqual(
        changes.filter(([, times]) => times !== 1),
        [],
      );
    });
  });
}
