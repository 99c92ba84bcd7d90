import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { eventTypesOf } from '../../support/store.ts';
import {
  accountOf,
  assertScimError,
  groupSchema,
  type List,
  newDirectory,
  patchOf,
  personOf,
  type Resource,
  type Scim,
  startScim,
  writesOf,
} from './scim-calls.ts';

type Group = { ID: string; Path: string; Name: string; Source: string; ExternalID: string };

describeOne('SCIM groups', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const push = (displayName: string, members: Resource[] = [], more: object = {}) =>
    suite.get<Resource>(
      'POST',
      'Groups',
      {
        schemas: [groupSchema],
        displayName,
        members: members.map(({ id }) => ({ value: id })),
        ...more,
      },
      201,
    );
  const groupAt = async (Path: string) => {
    const { stack, owner, Tenant } = suite;
    return recordIn(
      await stack.call('Groups_Get', { Tenant, Path }, owner.token),
      'Group',
    ) as Group;
  };
  const membersAt = async (Group: string) => {
    const { stack, owner, Tenant } = suite;
    return (await readList<string>(stack, 'Groups_ListMembers', { Tenant, Group }, owner.token))
      .items;
  };
  const patchGroup = async (id: string, ...operations: object[]) =>
    (await suite.call('PATCH', `Groups/${id}`, patchOf(...operations))).status;

  test('POST makes a group with the source scim at the path of its name, with its members', async () => {
    const [ann, bob] = [await suite.create('g-ann'), await suite.create('g-bob')];
    const group = await push('Büro & Team', [ann, bob, ann], { externalId: 'x-1' });
    assert.deepEqual(new Set(group.members?.map(({ value }) => value)), new Set([ann.id, bob.id]));
    const { Path, Name, Source, ExternalID, ID } = await groupAt('Buro-Team');
    assert.deepEqual(
      { Path, Name, Source, ExternalID, ID },
      { Path: 'Buro-Team', Name: 'Büro & Team', Source: 'scim', ExternalID: 'x-1', ID: group.id },
    );
    assert.deepEqual(await membersAt(Path), [accountOf(ann), accountOf(bob)].sort());
    const read = await suite.read(ann.id);
    assert.deepEqual(
      read.groups?.map(({ display }) => display),
      ['Büro & Team'],
    );
  });

  test('two names with one path are two groups, and one name in two cases is one', async () => {
    const [one, two] = [await push('Sales EU'), await push('Sales/EU')];
    assert.notEqual(one.id, two.id);
    const again = await suite.call('POST', 'Groups', { displayName: 'SALES EU' });
    assertScimError(again, 409, 'uniqueness');
    const named = await push('開発');
    assert.equal((await suite.find('displayName eq "開発"', 'Groups')).Resources[0]?.id, named.id);
  });

  test('a group made by hand is never taken over by a group of its name', async () => {
    const { stack, owner, Tenant, call } = suite;
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'admins' } }, owner.token));
    bodyOf(
      await stack.call(
        'GroupGrants_Add',
        { Grant: { Tenant, Group: 'admins', Role: 'admin' } },
        owner.token,
      ),
    );
    assertScimError(await call('POST', 'Groups', { displayName: 'Admins' }), 409, 'uniqueness');
    assert.equal((await groupAt('admins')).Source, 'api');
    const { totalResults } = await suite.find('displayName eq "admins"', 'Groups');
    assert.equal(totalResults, 0);
    const { ID } = await groupAt('admins');
    const person = await suite.create('climber');
    const join = patchOf({ op: 'add', path: 'members', value: [{ value: person.id }] });
    assertScimError(await call('PATCH', `Groups/${ID}`, join), 404);
    assertScimError(await call('DELETE', `Groups/${ID}`), 404);
  });

  test('what the directory owns of a group is not changed by hand, and the rest is', async () => {
    const { stack, owner, Tenant, create } = suite;
    const person = await create('handy');
    await push('Managed', [person]);
    const ask = (operation: string, body: object) => stack.call(operation, body, owner.token);
    const refusal = [400, 'failed_precondition'] as const;
    const UserID = accountOf(person);
    const member = { Tenant, Group: 'managed', UserID };
    const other = { ...member, UserID: owner.id };
    assertRefused(await ask('Groups_AddMember', other), ...refusal);
    assertRefused(await ask('Groups_RemoveMember', member), ...refusal);
    const save = (fields: object) =>
      ask('Groups_Save', { Group: { Tenant, Path: 'managed', ...fields } });
    assertRefused(await save({ Name: 'Other' }), ...refusal);
    assertRefused(await save({ ExternalID: 'other' }), ...refusal);
    const invitation = { Tenant, Email: 'a@example.com', Groups: ['managed'] };
    assertRefused(await ask('TenantInvitations_Create', invitation), ...refusal);
    bodyOf(await save({ Name: 'Managed', Description: 'By the directory' }));
    bodyOf(await ask('GroupGrants_Add', { Grant: { Tenant, Group: 'managed', Role: 'admin' } }));
    assert.deepEqual(await membersAt('managed'), [UserID]);
    bodyOf(await ask('Groups_Delete', { Tenant, Path: 'managed' }));
    assert.deepEqual((await suite.read(person.id)).groups, []);
  });

  test('PATCH changes members, and the rights that the group gives them follow with the reply', async () => {
    const { stack, owner, Tenant, create } = suite;
    const [ann, bob] = [await create('r-ann'), await create('r-bob')];
    const group = await push('Writers', [ann]);
    bodyOf(
      await stack.call(
        'GroupGrants_Add',
        { Grant: { Tenant, Group: 'writers', Role: 'admin' } },
        owner.token,
      ),
    );
    const may = async (person: Resource) =>
      recordIn(
        await stack.call(
          'Access_Check',
          { Tenant, Subject: accountOf(person), Permission: 'iam.roles.write' },
          owner.token,
        ),
        'Allowed',
      );
    const members = [{ value: bob.id }];
    assert.equal(await patchGroup(group.id, { op: 'Add', path: 'members', value: members }), 204);
    assert.deepEqual([await may(ann), await may(bob)], [true, true]);
    assert.equal(
      await patchGroup(group.id, { op: 'Remove', path: 'members', value: members }),
      204,
    );
    assert.deepEqual([await may(ann), await may(bob)], [true, false]);
    const path = `members[value eq "${ann.id}"]`;
    assert.equal(
      await patchGroup(
        group.id,
        { op: 'remove', path },
        { op: 'add', path: 'members', value: members },
      ),
      204,
    );
    assert.deepEqual([await may(ann), await may(bob)], [false, true]);
    assert.equal(await patchGroup(group.id, { op: 'replace', path: 'members', value: [] }), 204);
    assert.deepEqual(await membersAt('writers'), []);
    const types = await eventTypesOf(stack, 'access', Tenant);
    for (const type of ['group.member_added', 'group.member_removed'])
      assert.ok(types.includes(type));
  });

  test('a directory grants no ownership through a group', async () => {
    const { stack, owner, Tenant, create, call } = suite;
    const person = await create('pretender');
    const group = await push('Bosses');
    bodyOf(
      await stack.call(
        'GroupGrants_Add',
        { Grant: { Tenant, Group: 'bosses', Role: 'owner' } },
        owner.token,
      ),
    );
    const join = patchOf({ op: 'add', path: 'members', value: [{ value: person.id }] });
    assertScimError(await call('PATCH', `Groups/${group.id}`, join), 403);
    assert.deepEqual(await membersAt('bosses'), []);
    assertScimError(await call('DELETE', `Groups/${group.id}`), 403);
  });

  test('a new displayName changes the name and leaves the path, which grants name', async () => {
    const { call } = suite;
    const group = await push('Old name');
    await push('Taken name');
    const rename = (name: string) => patchOf({ op: 'replace', path: 'displayName', value: name });
    assertScimError(
      await call('PATCH', `Groups/${group.id}`, rename('taken NAME')),
      409,
      'uniqueness',
    );
    assert.equal((await call('PATCH', `Groups/${group.id}`, rename('New name'))).status, 204);
    assert.equal((await groupAt('old-name')).Name, 'New name');
    const { Resources } = await suite.find('displayName eq "new name"', 'Groups');
    assert.deepEqual(
      Resources.map(({ id }) => id),
      [group.id],
    );
  });

  test('members must be people of this directory: groups, strangers and those of another tenant are refused, and nothing is changed', async () => {
    const { stack, owner, Tenant, create, call } = suite;
    const other = await newDirectory(stack, owner);
    const [mine, foreign] = [await create('mine'), await other.create('foreign')];
    const [group, nested] = [await push('Closed'), await push('Nested')];
    const before = await writesOf(stack, Tenant);
    for (const id of [foreign.id, nested.id, group.id, accountOf(mine), 'x']) {
      const members = [{ value: mine.id }, { value: id }];
      const add = patchOf({ op: 'add', path: 'members', value: members });
      assertScimError(await call('PATCH', `Groups/${group.id}`, add), 400, 'invalidValue');
      assertScimError(
        await call('POST', 'Groups', { displayName: 'Half', members }),
        400,
        'invalidValue',
      );
    }
    assert.deepEqual(await writesOf(stack, Tenant), before);
  });

  test('a person who leaves and comes back is in the groups of the directory again', async () => {
    const { stack, owner, Tenant, create, get, address } = suite;
    const person = await create('boomerang');
    await push('Steady', [person]);
    const UserID = accountOf(person);
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID }, owner.token));
    assert.deepEqual(await membersAt('steady'), []);
    assert.equal((await suite.read(person.id)).active, false);
    const back = await get<Resource>('PUT', `Users/${person.id}`, personOf(address('boomerang')));
    assert.equal(back.active, true);
    assert.deepEqual(await membersAt('steady'), [UserID]);
  });

  test('a person who is deleted leaves the groups, whose ETags change', async () => {
    const { create, get, call } = suite;
    const person = await create('deleted');
    const stays = await create('remaining');
    const group = await push('Shrinking', [person, stays]);
    const other = await push('Untouched', [stays]);
    assert.equal((await call('DELETE', `Users/${person.id}`)).status, 204);
    const stored = await get<Resource>('GET', `Groups/${group.id}`);
    assert.deepEqual(
      stored.members?.map(({ value }) => value),
      [stays.id],
    );
    assert.notEqual(stored.meta.version, group.meta.version);
    assert.ok(stored.meta.lastModified > group.meta.lastModified);
    assert.deepEqual(await membersAt('shrinking'), [accountOf(stays)]);
    assert.deepEqual(await get<Resource>('GET', `Groups/${other.id}`), other);
  });

  test('lists of groups leave members out, and find groups by a member', async () => {
    const { create, get } = suite;
    const person = await create('searched');
    const group = await push('Findable', [person]);
    const listed = await get<List>('GET', 'Groups?excludedAttributes=members&count=200');
    assert.ok(listed.Resources.length > 3);
    for (const resource of listed.Resources) assert.ok(!('members' in resource));
    for (const filter of [
      `members eq "${person.id}"`,
      `members[value eq "${person.id}"]`,
      `id eq "${group.id}" and members.value eq "${person.id}"`,
    ])
      assert.deepEqual(
        (await suite.find(filter, 'Groups')).Resources.map(({ id }) => id),
        [group.id],
      );
    const withoutMembers = await get<Resource>(
      'GET',
      `Groups/${group.id}?excludedAttributes=members`,
    );
    assert.ok(!('members' in withoutMembers));
  });

  test('DELETE ends the group with its grants, and leaves its members in the tenant', async () => {
    const { call, create, stack, owner, Tenant } = suite;
    const person = await create('stays');
    const group = await push('Short', [person]);
    bodyOf(
      await stack.call(
        'GroupGrants_Add',
        { Grant: { Tenant, Group: 'short', Role: 'admin' } },
        owner.token,
      ),
    );
    assert.equal((await call('DELETE', `Groups/${group.id}`)).status, 204);
    assertScimError(await call('DELETE', `Groups/${group.id}`), 404);
    assert.equal(await groupAt('short'), null);
    assert.equal((await suite.read(person.id)).active, true);
    await push('Short', [person]);
    const question = { Tenant, Subject: accountOf(person), Permission: 'iam.roles.write' };
    assert.equal(
      recordIn(await stack.call('Access_Check', question, owner.token), 'Allowed'),
      false,
    );
  });
});
