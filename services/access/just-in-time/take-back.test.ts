import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Call } from '@bailiwick/pipeline';
import type { TakeBackRequest } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { JoinDeps } from './join.ts';
import { takeBack } from './take-back.ts';

test('a call that finds nothing to take back waits for the caches of the tenant, too', async () => {
  const deps = { database: { query: async () => [] } } as unknown as JoinDeps;
  const call = { invalidates: new Set<string>() } as unknown as Call;
  const request = { tenant: 'tnt_1', provider: 'sso_1' } as TakeBackRequest;
  assert.equal(await takeBack(deps, request, call), true);
  assert.deepEqual([...call.invalidates], ['tenant:tnt_1']);
});
