import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { type Dispatch, routes } from '@bailiwick/shared/dispatch.ts';
import { listenRpc } from '@bailiwick/shared/serve.ts';
import { create, type Message } from '@bufbuild/protobuf';

// A process of its own for restart.test.ts: a service that counts how often it has processed each call, and whose listeners the
// test opens, ends, and opens again.
//
//   node test/grpc/counting-service.ts <port> <grpcPort> [<connection age in ms>]

const [port = 0, grpcPort = 0, connectionAgeMs] = process.argv.slice(2).map(Number);
const counts = new Map<string, number>();
const table = routes([Groups, Object.fromEntries(Groups.methods.map(({ localName }) => [localName, () => Promise.resolve({})]))]);

const dispatch = async (method: Parameters<Dispatch>[0], request: Message & { path?: string; group?: { path: string } }): Promise<Message> => {
  const id = `${method.name} ${request.group?.path ?? request.path}`;
  counts.set(id, (counts.get(id) ?? 0) + 1);
  await sleep(Math.random() * 6);
  return create(method.output);
};

const open = () =>
  listenRpc({
    host: '127.0.0.1',
    port,
    grpcPort,
    routes: table,
    dispatch,
    verify: () => ({ type: 'service', id: 'test' }) as never,
    readiness: () => Promise.resolve(undefined),
    ...(connectionAgeMs !== undefined && { connectionAgeMs }),
  });

let listener = await open();
process.on('message', (command) => {
  const answer = async () => {
    if (command === 'counts') return [...counts];
    await listener.drain();
    listener = await open();
    return 'restarted';
  };
  void answer().then((message) => process.send?.(message));
});
process.on('disconnect', () => process.exit(0));
process.send?.('listening');
