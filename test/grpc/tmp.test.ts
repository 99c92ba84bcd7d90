import { test } from 'node:test';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { grpcClient, serveGroups } from './service.ts';
const { save } = Groups.method;
test('x', async (t) => {
  const service = await serveGroups(t, () => Promise.resolve({}));
  const { call } = grpcClient(t, service.target);
  const sized = (bytes: number) => call(save, { group: { description: 'x'.repeat(bytes) } }, { token: service.token(), deadlineMs: 20_000 });

  let t0 = Date.now();
  await sized(4 * 1024 * 1024).catch((e) => console.log(e.message));
  console.log('4M', Date.now() - t0);
  t0 = Date.now();
  await service.drain();
  console.log('drain', Date.now() - t0);
});
