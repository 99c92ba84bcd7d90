import { create } from '@bufbuild/protobuf';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { routes } from '@bailiwick/shared/dispatch.ts';
import { listenRpc } from '@bailiwick/shared/serve.ts';
const counts = new Map<string, number>();
const table = routes([Groups, Object.fromEntries(Groups.methods.map((m) => [m.localName, async () => ({})]))]);
const dispatch = async (method: any, request: any) => {
  const id = request.group?.path ?? '';
  counts.set(id, (counts.get(id) ?? 0) + 1);
  await new Promise((r) => setTimeout(r, Math.random() * 6));
  return create(method.output);
};
let port = Number(process.argv[2]);
const open = () => listenRpc({ readiness: async()=>undefined, grpcPort: port+1, host: '127.0.0.1', port, routes: table, dispatch: dispatch as never, verify: () => ({ type: 'service', id: 'x' }) as never });
let listener = await open();
process.on('message', async (m) => {
  if (m === 'restart') { await listener.drain(); listener = await open(); process.send!('ok'); }
  else process.send!([...counts]);
});
process.send!('up');
process.on('disconnect', () => process.exit());
