import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unavailable } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { UsersDisableRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { create } from '@bufbuild/protobuf';
import { changeHandlers } from './change.ts';

test('Users_Disable invalidates the user in gateways even if access is down, because the change is committed', async () => {
  const database = {
    transaction: () => Promise.resolve({ id: 'usr_1', updatedAt: new Date() }),
  } as unknown as Database;
  const authority = {
    setSubjectState: () => Promise.reject(unavailable()),
  } as unknown as PeerClient<typeof Authority>;
  const caller = { type: 'bot', id: 'bot_1' };
  const call = { caller, invalidates: new Set() } as unknown as Call;
  await assert.rejects(
    changeHandlers({ database, authority }).disable(
      create(UsersDisableRequestSchema, { userId: 'usr_1' }),
      call,
    ),
    { code: 'unavailable' },
  );
  assert.deepEqual([...call.invalidates], ['user:usr_1']);
});
