import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client/client.ts';
import { PermissionDeniedError } from '../../client/errors.ts';
import type { Change } from './changes.ts';
import { previewChanges } from './preview.ts';

const Tenant = 'tnt_1';
const denied = new PermissionDeniedError({
  operation: 'Access_Plan',
  status: 403,
  Code: 'permission_denied',
  Messages: [],
  RequestID: '',
});

/** A service whose caller may change grants only because of `grt_own`. `previewed` collects the planned changes. */
function service({ mayAsk = true } = {}) {
  const previewed: unknown[] = [];
  const call = (operation: string, request: { Changes?: unknown[] }) => {
    if (operation === 'Access_Explain')
      return Promise.resolve({
        Allowed: true,
        Paths: [{ Grant: 'grt_own', Group: '', InheritedFrom: '' }],
        Missing: [],
      });
    if (!mayAsk) return Promise.reject(denied);
    previewed.push(...(request.Changes ?? []));
    return Promise.resolve({ Gained: [], Lost: [], Warnings: [] });
  };
  return { previewed, client: { call } as unknown as Client };
}

const group = (Path: string, IfUpdatedAt?: string): Change => ({
  operation: 'Groups_Save',
  request: { Group: { Tenant, Path }, IfUpdatedAt },
  text: '',
});
const member = (Group: string): Change => ({
  operation: 'Groups_AddMember',
  request: { Tenant, Group, UserID: 'usr_1' },
  text: '',
});
const groupGrant = (Group: string): Change => ({
  operation: 'GroupGrants_Add',
  request: { Grant: { Tenant, Group, Role: 'a' } },
  text: '',
});
const removal = (grant: string): Change => ({
  operation: 'Grants_Remove',
  request: { Grant: { Tenant, UserID: 'usr_1', Role: 'a' } },
  text: '',
  grant,
});

test('all changes are previewed, also fields of stored groups, up to the limit of a plan', async () => {
  const { previewed, client } = service();
  const changes = [group('eng/new'), group('eng', 't1'), member('Eng/New'), groupGrant('eng/new')];
  const { notes, complete } = await previewChanges(client, Tenant, changes);
  assert.deepEqual([previewed.length, notes, complete], [4, [], true]);
  const many = Array.from({ length: 201 }, () => member('eng'));
  const cut = await previewChanges(client, Tenant, many);
  assert.equal(cut.complete, false);
  assert.match(cut.notes.join(), /for the first 200 of 201 changes/);
});

test('without iam.grants.read the effect is not known', async () => {
  const { client } = service({ mayAsk: false });
  const { complete, notes } = await previewChanges(client, Tenant, [member('eng')]);
  assert.equal(complete, false);
  assert.match(notes.join(), /you lack iam.grants.read/);
});

test('a lockout of the caller is reported, with and without iam.grants.read', async () => {
  for (const mayAsk of [true, false]) {
    const { client } = service({ mayAsk });
    assert.match(
      (await previewChanges(client, Tenant, [removal('grt_own')])).refused.join(),
      /would revoke your own permission/,
    );
    assert.deepEqual((await previewChanges(client, Tenant, [removal('grt_1')])).refused, []);
  }
});
