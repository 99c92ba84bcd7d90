import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serviceCaller } from '@bailiwick/contract';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { Code, type Transport } from '@connectrpc/connect';
import { contextFor, createLocalTransport, createWireTransport } from './rpc.ts';

/** Makes a call that has no time left. */
const callLate = (transport: Transport) =>
  transport.unary(
    Groups.method.delete,
    undefined,
    0,
    undefined,
    {},
    contextFor(serviceCaller('test', 'req_1')),
  );

test('a call without time left has a deadline, over a wire and in the process', async () => {
  const limits: number[] = [];
  const wire = createWireTransport(
    { url: '', audience: 'test', sign: () => 'token' },
    {
      system: 'connectrpc',
      send: ({ timeoutMs }) => {
        limits.push(timeoutMs);
        return Promise.resolve({
          body: new Uint8Array(),
          metadata: () => assert.fail('nothing asks for metadata'),
        });
      },
      close: () => Promise.resolve(),
    },
  );
  await callLate(wire);
  assert.deepEqual(limits, [1]);
  const local = createLocalTransport();
  local.connect(() => new Promise(() => {}));
  await assert.rejects(callLate(local), { code: Code.Unavailable });
});
