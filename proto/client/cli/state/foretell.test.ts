import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client } from '../../client.ts';
import { PermissionDeniedError } from '../../errors.ts';
import type { Change } from './changes.ts';
import { foretell } from './foretell.ts';

const Tenant = 'tnt_1';
const denied = new PermissionDeniedError({
  operation: 'Access_Plan',
  status: 403,
  Code: 'permission_denied',
  Messages: [],
  RequestID: '',
});

/** A service whose caller may change grants by `grt_own` alone; `asked` is what it was asked to plan. */
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

test('whatever of members and grants is not asked about is said', async () => {
  const { asked, client } = service();
  const changes = [
    group('eng/new'),
    group('eng', 't1'),
    member('Eng/New'),
    member('eng'),
    groupGrant('eng/new'),
  ];
  const { notes } = await foretell(client, Tenant, changes);
  assert.equal(asked.length, 1);
  assert.deepEqual(notes, [
    'who would gain or lose what by 2 changes to groups that are not there yet is known once they are',
  ]);
  assert.match(
    (await foretell(client, Tenant, [group('eng/new'), member('eng/new')])).notes.join(),
    /by 1 change to groups/,
  );
  assert.deepEqual(
    (await foretell(client, Tenant, [group('eng/new'), group('eng', 't1'), member('eng')])).notes,
    [],
  );
});

test('whoever would lock themself out is told so, whether or not they may ask who would lose what', async () => {
  for (const mayAsk of [true, false]) {
    const { client } = service({ mayAsk });
    assert.match(
      (await foretell(client, Tenant, [removal('grt_own')])).refused.join(),
      /would be taken away among them/,
    );
    assert.deepEqual((await foretell(client, Tenant, [removal('grt_1')])).refused, []);
  }
});
