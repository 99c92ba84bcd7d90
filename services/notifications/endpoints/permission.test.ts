import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grantOf, permissionBitmap } from '@bailiwick/contract';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { allowUpdate } from './permission.ts';

const write = permissionBitmap((permission) => permission === 'iam.webhooks.write');
const nothing: Uint8Array = new Uint8Array();

/**
 * The tenant that an update by this caller reaches, and the grant that allows it. `effective`: the
 * caller's permissions in that tenant, as access returns them.
 */
async function reach(
  caller: MessageInitShape<typeof CallerSchema>,
  { effective = nothing, named = '', missing = false, allowed = false } = {},
) {
  const answer = { permissions: effective, grants: [{ id: 'grt_there', permissions: effective }] };
  const authority = { effective: () => Promise.resolve(answer) } as unknown as PeerClient<
    typeof Authority
  >;
  const call = {
    caller: create(CallerSchema, { type: 'user', id: 'usr_1', ...caller }),
    allowedBy: allowed ? { kind: 'tenant' } : { kind: 'handler' },
  } as unknown as Call;
  const { tenant, allowed: by } = await allowUpdate(
    authority,
    call,
    'iam.webhooks.write',
    named,
    () => Promise.resolve(missing ? undefined : 'tnt_1'),
  );
  return { tenant, grant: grantOf(by.caller, 'iam.webhooks.write') };
}

test('an update without a tenant checks the permission in the stored tenant', async () => {
  const grants = [{ id: 'grt_here', permissions: write }];
  assert.deepEqual(await reach({ tenant: 'tnt_1', permissions: write, grants }), {
    tenant: 'tnt_1',
    grant: 'grt_here',
  });
  for (const type of ['user', 'bot'])
    assert.deepEqual(
      await reach({ type, tenant: 'tnt_2', permissions: write, grants }, { effective: write }),
      { tenant: 'tnt_1', grant: 'grt_there' },
    );
  // Platform permissions alone are not enough: the session may not meet the tenant's requirements.
  await assert.rejects(reach({ platformPermissions: write }), { code: 'not_found' });
});

test('an update without rights returns the same error as for a missing endpoint', async () => {
  await assert.rejects(reach({ tenant: 'tnt_2', permissions: write }), { code: 'not_found' });
  await assert.rejects(reach({ tenant: 'tnt_1', permissions: write }, { missing: true }), {
    code: 'not_found',
  });
  await assert.rejects(reach({ type: 'bot', tenant: 'tnt_2', permissions: write }), {
    code: 'not_found',
  });
});

test('an update with a tenant is denied without rights in it', async () => {
  assert.deepEqual(await reach({}, { named: 'tnt_2', allowed: true }), {
    tenant: 'tnt_2',
    grant: '',
  });
  await assert.rejects(reach({}, { named: 'tnt_2' }), { code: 'permission_denied' });
});
