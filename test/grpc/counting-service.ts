import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { routes } from '@bailiwick/pipeline';
import { listenHttp } from '@bailiwick/process';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { type Dispatch, listenRpc } from '@bailiwick/wire';
import { create, type Message } from '@bufbuild/protobuf';

// A service in its own process that counts how often it processed each call. The test opens and
// closes its listeners. With an admin port, it serves readiness there.

export type CountingOptions = {
  host: string;
  port: number;
  grpcPort: number;
  adminPort?: number;
  connectionAgeMs?: number;
};

const { adminPort, ...where } = JSON.parse(process.argv[2] ?? '') as CountingOptions;
/** Longer than clients need to notice that the process is not ready. */
const preDrainMs = 1000;
const counts = new Map<string, number>();
const table = routes([
  Groups,
  Object.fromEntries(Groups.methods.map(({ localName }) => [localName, () => Promise.resolve({})])),
]);

const dispatch = async (
  method: Parameters<Dispatch>[0],
  request: Message & { path?: string; group?: { path: string } },
): Promise<Message> => {
  const id = `${method.name} ${request.group?.path ?? request.path}`;
  counts.set(id, (counts.get(id) ?? 0) + 1);
  await sleep(Math.random() * 6);
  return create(method.output);
};

const open = () =>
  listenRpc({
    ...where,
    routes: table,
    dispatch,
    verify: () => ({ type: 'service', id: 'test' }) as never,
    readiness: () => Promise.resolve(undefined),
  });

let listener = await open();
let ready = true;
if (adminPort !== undefined)
  await listenHttp(
    where.host,
    adminPort,
    (_, response) => void response.writeHead(ready ? 200 : 503).end(),
  );
process.on('message', (command) => {
  const answer = async () => {
    if (command === 'counts') return [...counts];
    if (command === 'end') {
      ready = false;
      listener.disableKeepAlive();
      await sleep(preDrainMs);
      await listener.drain();
      return 'ended';
    }
    await listener.drain();
    listener = await open();
    return 'restarted';
  };
  void answer().then((message) => process.send?.(message));
});
process.on('disconnect', () => process.exit(0));
process.send?.('listening');
