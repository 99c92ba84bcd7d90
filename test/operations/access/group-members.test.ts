import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { caughtBy, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, eventsOf, rowsOf } from '../../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Group = { Tenant: string; Path: string };

describeOne('group members', 'one process', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  let carol: Person;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob, carol] = await Promise.all([signUp(stack), signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  /** Creates a tenant of Ada's with these members and groups. */
  async function tenantWith(
    members: readonly Person[],
    paths: readonly string[],
    settings: object = {},
  ): Promise<string> {
    const answer = await stack.call(
      'Tenants_Create',
      { Tenant: { Name: 'Acme', Settings: settings }, OwnerID: ada.id },
      stack.platformKey,
    );
    const { ID: Tenant } = recordIn(answer, 'Tenant') as { ID: string };
    for (const { id } of members)
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: id }, stack.platformKey));
    for (const Path of paths)
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, ada.token));
    return Tenant;
  }
  const add = (Tenant: string, path: string, { id }: Person, token = ada.token) =>
    stack.call('Groups_AddMember', { Tenant, Group: path, UserID: id }, token);
  const remove = (Tenant: string, path: string, { id }: Person, token = ada.token) =>
    stack.call('Groups_RemoveMember', { Tenant, Group: path, UserID: id }, token);
  const membersOf = async (Tenant: string, path: string, more: object = {}) =>
    (
      await readList<string>(
        stack,
        'Groups_ListMembers',
        { Tenant, Group: path, ...more },
        ada.token,
        1,
      )
    ).items;
  const groupsOf = async (person: Person, token: string, more: object = {}) =>
    (
      await readList<Group>(
        stack,
        'Groups_ListMemberGroups',
        { UserID: person.id, ...more },
        token,
        2,
      )
    ).items;
  const membersEvents = async (tenant: string) =>
    (await eventsOf(stack, 'access', tenant)).filter(({ type }) =>
      type.startsWith('group.member_'),
    );

  test('Groups_AddMember and Groups_RemoveMember change the list, deliver events to the endpoints, and repeat without an event', async () => {
    const Tenant = await tenantWith([bob], ['Eng/Backend']);
    const hook = `group-${Tenant}`;
    const endpoint = {
      Tenant,
      Name: 'catcher',
      URL: `${stack.inboxUrl}/hooks/${hook}`,
      EventTypes: ['group.member_added', 'group.member_removed'],
    };
    bodyOf(await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, ada.token));
    for (const path of ['eng/backend', '/ENG/Backend'])
      assert.deepEqual((await add(Tenant, path, bob)).body, {});
    assert.deepEqual(await membersOf(Tenant, 'eng/backend'), [bob.id]);
    for (const path of ['Eng/backend', 'eng/backend'])
      assert.deepEqual((await remove(Tenant, path, bob)).body, {});
    assert.deepEqual(await membersOf(Tenant, 'eng/backend'), []);
    assert.deepEqual((await remove(Tenant, 'never/there', bob)).body, {});
    assert.equal(await countOf(stack, 'access.group_member where tenant = $1', [Tenant]), 0);

    const events = await membersEvents(Tenant);
    const record = { Tenant, Group: 'Eng/Backend', UserID: bob.id };
    assert.deepEqual(
      events.map((event) => [event.type, event.data, event.actor]),
      ['group.member_added', 'group.member_removed'].map((type) => [
        type,
        record,
        { type: 'user', id: ada.id },
      ]),
    );
    const ids = await eventually('both events at the catcher', async () => {
      const current = (await caughtBy(stack, hook)).map(
        ({ Body }) => (JSON.parse(Body) as { id: string }).id,
      );
      return current.length >= 2 && current;
    });
    assert.deepEqual(ids.sort(), events.map(({ id }) => id).sort());
  });

  test('Groups_AddMember and Groups_RemoveMember at once leave the state of the last event', async () => {
    const Tenant = await tenantWith([bob], ['eng']);
    const calls = Array.from({ length: 40 }, (_, index) =>
      retryWhileBusy(() => (index % 2 ? add(Tenant, 'eng', bob) : remove(Tenant, 'eng', bob))),
    );
    for (const answer of await Promise.all(calls)) bodyOf(answer);
    const count = (type: string, events: Array<{ type: string }>) =>
      events.filter((event) => event.type === type).length;
    const events = await membersEvents(Tenant);
    const members = await countOf(stack, 'access.group_member where tenant = $1', [Tenant]);
    assert.equal(
      count('group.member_added', events) - count('group.member_removed', events),
      members,
    );
    assert.ok(count('group.member_added', events) >= 1);
  });

  test('Groups_AddMember accepts only members of the tenant and existing groups', async () => {
    const Tenant = await tenantWith([bob], ['eng']);
    assertRefused(await add(Tenant, 'eng', carol), 400, 'not_found', ['tenant member not found']);
    assertRefused(await add(Tenant, 'ops', bob), 400, 'not_found', ['group not found']);
    assertRefused(
      await stack.call('Groups_AddMember', { Tenant, Group: 'eng', UserID: bob.email }, ada.token),
      400,
      'invalid_argument',
      ['UserID must be an identifier that begins with usr_'],
    );
    assertRefused(await stack.call('Groups_AddMember', {}, ada.token), 400, 'invalid_argument', [
      'Tenant is required',
      'Group is required',
      'UserID is required',
    ]);
    assertRefused(await add(Tenant, 'eng', bob, bob.token), 403, 'permission_denied');
    assertRefused(
      await stack.call('Groups_ListMembers', { Tenant, Group: 'ops' }, ada.token),
      400,
      'not_found',
      ['group not found'],
    );
    // A group of the same path in another tenant is another group.
    const other = await tenantWith([bob, carol], ['eng']);
    bodyOf(await add(other, 'eng', carol));
    assert.deepEqual(await membersOf(Tenant, 'eng'), []);
    assert.equal(await countOf(stack, 'access.group_member where tenant = $1', [Tenant]), 0);
  });

  test('Groups_AddMember grants no more than the caller holds', async () => {
    const Tenant = await tenantWith([bob, carol], ['eng', 'eng/owners'], { DefaultRole: 'admin' });
    await rowsOf(
      stack,
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ($1, $2, 'group', 'eng', 'owner', '', '', now())`,
      [Tenant, createId('ggr')],
    );
    // Grants to a group also count for its descendants, so both groups would give the tenant away.
    for (const path of ['eng', 'eng/owners']) {
      assertRefused(await add(Tenant, path, bob, bob.token), 403, 'permission_denied');
      assert.deepEqual(await membersOf(Tenant, path), []);
      bodyOf(await add(Tenant, path, carol));
      assertRefused(await remove(Tenant, path, carol, bob.token), 403, 'permission_denied');
      assert.deepEqual(await membersOf(Tenant, path), [carol.id]);
    }
    assertRefused(
      await stack.call('Groups_Delete', { Tenant, Path: 'eng' }, bob.token),
      403,
      'permission_denied',
    );
    bodyOf(await stack.call('Groups_Delete', { Tenant, Path: 'eng' }, ada.token));
    assert.equal(
      await countOf(stack, `access.grant_entry where tenant = $1 and subject_type = 'group'`, [
        Tenant,
      ]),
      0,
    );
  });

  test('Groups_ListMembers pages, and with Effective includes the members of the descendant groups', async () => {
    const Tenant = await tenantWith(
      [bob, carol],
      ['eng', 'eng/backend', 'eng/backend/storage', 'england'],
    );
    for (const person of [ada, bob, carol]) bodyOf(await add(Tenant, 'eng/backend', person));
    const { items, sizes } = await readList<string>(
      stack,
      'Groups_ListMembers',
      { Tenant, Group: 'eng/backend' },
      bob.token,
      2,
    );
    assert.deepEqual(sizes, [2, 1]);
    assert.deepEqual(items, [ada.id, bob.id, carol.id].sort());
    bodyOf(await add(Tenant, 'england', ada));
    bodyOf(await remove(Tenant, 'eng/backend', ada));
    bodyOf(await add(Tenant, 'eng/backend/storage', bob));
    assert.deepEqual(await membersOf(Tenant, 'eng'), []);
    assert.deepEqual(
      await membersOf(Tenant, 'eng', { Effective: true }),
      [bob.id, carol.id].sort(),
    );
    assert.deepEqual(await membersOf(Tenant, 'eng/backend/storage', { Effective: true }), [bob.id]);
    const { NextCursor } = await readPage(
      stack,
      'Groups_ListMembers',
      { Tenant, Group: 'eng/backend', Page: { Limit: 1 } },
      ada.token,
    );
    assert.notEqual(NextCursor, '');
    for (const request of [{ Group: 'england' }, { Group: 'eng/backend', Effective: true }]) {
      const answer = await stack.call(
        'Groups_ListMembers',
        { Tenant, ...request, Page: { Cursor: NextCursor } },
        ada.token,
      );
      assertRefused(answer, 400, 'invalid_argument', ['Page.Cursor is not a cursor of this list']);
    }
  });

  test('Groups_ListMemberGroups shows users their own groups, and others the groups that they may read', async () => {
    const dan = await signUp(stack);
    const first = await tenantWith([dan, bob], ['eng', 'eng/backend', 'ops']);
    const { ID: second } = recordIn(
      await stack.call('Tenants_Create', { Tenant: { Name: 'Of Carol' } }, carol.token),
      'Tenant',
    ) as { ID: string };
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant: second, UserID: dan.id }, stack.platformKey),
    );
    bodyOf(
      await stack.call('Groups_Save', { Group: { Tenant: second, Path: 'sales' } }, carol.token),
    );
    bodyOf(await add(second, 'sales', dan, carol.token));
    for (const path of ['eng/backend', 'ops']) bodyOf(await add(first, path, dan));
    const pathsFor = async (token: string, more: object = {}) =>
      (await groupsOf(dan, token, more)).map(({ Tenant, Path }) => `${Tenant} ${Path}`).sort();
    const inFirst = [`${first} eng/backend`, `${first} ops`];
    const inSecond = [`${second} sales`];

    assert.deepEqual(await pathsFor(dan.token), [...inFirst, ...inSecond].sort());
    assert.deepEqual(await pathsFor(stack.platformKey), [...inFirst, ...inSecond].sort());
    assert.deepEqual(await pathsFor(ada.token), inFirst);
    assert.deepEqual(await pathsFor(bob.token), inFirst);
    assert.deepEqual(await pathsFor(carol.token), inSecond);
    assert.deepEqual(
      await pathsFor(dan.token, { Effective: true }),
      [...inFirst, `${first} eng`, ...inSecond].sort(),
    );
    assert.deepEqual(await pathsFor(carol.token, { Effective: true }), inSecond);
    const { items } = await readList<Group>(stack, 'Groups_List', { Tenant: first }, ada.token);
    assert.deepEqual(
      (await groupsOf(dan, ada.token)).map(({ Path }) => Path),
      items.filter(({ Path }) => Path !== 'eng').map(({ Path }) => Path),
    );

    const stranger = await signUp(stack);
    assertRefused(
      await stack.call('Groups_ListMemberGroups', { UserID: dan.id }, stranger.token),
      403,
      'permission_denied',
    );
    await stack.call('Tenants_Create', { Tenant: { Name: 'Elsewhere' } }, stranger.token);
    assert.deepEqual(await pathsFor(stranger.token), []);
  });
});
