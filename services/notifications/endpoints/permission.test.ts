import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { permissionBitmap } from '@bailiwick/proto/permissions.ts';
import { grantOf } from '@bailiwick/shared/caller.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { allowUpdate } from './permission.ts';

const write = permissionBitmap((permission) => permission === 'iam.webhooks.write');
const nothing: Uint8Array = new Uint8Array();

/** The tenant an update by this caller reaches, and the grant that allows it; `effective` is what access says of the caller there. */
async function reach(
  caller: MessageInitShape<typeof CallerSchema>,
  { effective = nothing, named = '', missing = false, allowed = false } = {},
) {
  const answer = { permissions: effective, grants: [{ id: 'grt_there', permissions: effective }] };
  const authority = { effective: () => Promise.resolve(answer) } as unknown as Client<
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

test('Webhooks_UpdateEndpoint without a tenant is measured in the stored one', async () => {
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
  // What a person holds on the platform is not all: their session may lack what the tenant wants of it.
  await assert.rejects(reach({ platformPermissions: write }), { code: 'not_found' });
});

test('Webhooks_UpdateEndpoint tells a caller without rights there the same as for a missing endpoint', async () => {
  await assert.rejects(reach({ tenant: 'tnt_2', permissions: write }), { code: 'not_found' });
  await assert.rejects(reach({ tenant: 'tnt_1', permissions: write }, { missing: true }), {
    code: 'not_found',
  });
  await assert.rejects(reach({ type: 'bot', tenant: 'tnt_2', permissions: write }), {
    code: 'not_found',
  });
});

test('Webhooks_UpdateEndpoint with a tenant is refused without rights there', async () => {
  assert.deepEqual(await reach({}, { named: 'tnt_2', allowed: true }), {
    tenant: 'tnt_2',
    grant: '',
  });
  await assert.rejects(reach({}, { named: 'tnt_2' }), { code: 'permission_denied' });
});
