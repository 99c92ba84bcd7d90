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

/** A service whose caller may change grants only because of `grt_own`. `asked` collects the planned changes. */
function service({ mayAsk = true } = {}) {
  const asked: unknown[] = [];
  const call = (operation: string, request: { Changes?: unknown[] }) => {
    if (operation === 'Access_Explain')
      return Promise.resolve({
        Allowed: true,
        Paths: [{ Grant: 'grt_own', Group: '', InheritedFrom: '' }],
        Missing: [],
      });
    if (!mayAsk) return Promise.reject(denied);
    asked.push(...(request.Changes ?? []));
    return Promise.resolve({ Gained: [], Lost: [], Warnings: [] });
  };
  return { asked, client: { call } as unknown as Client };
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

test('changes to members and grants that cannot be previewed are noted', async () => {
  const { asked, client } = service();
  const changes = [
    group('eng/new'),
    group('eng', 't1'),
    member('Eng/New'),
    member('eng'),
    groupGrant('eng/new'),
  ];
  const { notes } = await previewChanges(client, Tenant, changes);
  assert.equal(asked.length, 1);
  assert.deepEqual(notes, [
    'gained and lost permissions of 2 changes to new groups cannot be shown before the groups exist',
  ]);
  assert.match(
    (await previewChanges(client, Tenant, [group('eng/new'), member('eng/new')])).notes.join(),
    /of 1 change to new groups/,
  );
  assert.deepEqual(
    (await previewChanges(client, Tenant, [group('eng/new'), group('eng', 't1'), member('eng')]))
      .notes,
    [],
  );
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
