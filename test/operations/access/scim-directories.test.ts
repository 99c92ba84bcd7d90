import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne } from '../../support/harness.ts';
import { countOf } from '../../support/store.ts';
import {
  accountOf,
  assertScimError,
  enterpriseSchema,
  groupSchema,
  type List,
  patchOf,
  type Resource,
  type Scim,
  startScim,
  userSchema,
} from './scim-calls.ts';

// Requests as Entra ID and Okta document them:
// learn.microsoft.com/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups,
// …/application-provisioning-config-problem-scim-compatibility and
// developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20.

describeOne('SCIM from directories', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  const entraUser = (name: string) => ({
    schemas: [userSchema, enterpriseSchema],
    externalId: `0a21f0f2-8d2a-4f8e-bf98-${name}`,
    userName: `Test_User_${name}`,
    active: true,
    emails: [{ primary: true, type: 'work', value: suite.address(name) }],
    meta: { resourceType: 'User' },
    name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
    roles: [],
  });

  const oktaUser = (name: string, more: object = {}) => ({
    schemas: [userSchema],
    userName: suite.address(name),
    name: { givenName: 'Test', familyName: 'User' },
    emails: [{ primary: true, value: suite.address(name), type: 'work' }],
    displayName: 'Test User',
    locale: 'en-US',
    externalId: `00ujl29u0le5T6A-${name}`,
    groups: [],
    password: '1mz050nq',
    active: true,
    ...more,
  });

  test('Entra ID tests the connection, finds no user, and creates one', async () => {
    const { get, find } = suite;
    const nobody = await find('userName eq "non-existent user"');
    assert.deepEqual([nobody.totalResults, nobody.Resources], [0, []]);
    const user = await get<Resource>('POST', 'Users', entraUser('create'), 201);
    assert.equal(user.externalId, '0a21f0f2-8d2a-4f8e-bf98-create');
    assert.deepEqual(user.emails, [
      { value: suite.address('create'), type: 'work', primary: true },
    ]);
    assert.deepEqual(user.name, entraUser('create').name);
    for (const filter of [
      `userName eq "test_user_CREATE"`,
      `externalId eq "${user.externalId}"`,
      `emails[type eq "work"].value eq "${suite.address('create')}"`,
    ])
      assert.deepEqual((await find(filter)).Resources, [user]);
  });

  test('Entra ID updates users with each form of PATCH that it documents', async () => {
    const { get, patch, read } = suite;
    const { id } = await get<Resource>('POST', 'Users', entraUser('patch'), 201);
    const moved = await patch(
      id,
      { op: 'Replace', path: 'emails[type eq "work"].value', value: suite.address('updated') },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    );
    assert.equal(moved.emails?.[0]?.value, suite.address('updated'));
    assert.equal(moved.name?.['familyName'], 'updatedFamilyName');
    const renamed = await patch(id, {
      op: 'Replace',
      path: 'userName',
      value: '5b50642d@testuser.com',
    });
    assert.equal(renamed.userName, '5b50642d@testuser.com');
    await patch(id, { op: 'Add', path: 'nickName', value: 'Babs' });
    await patch(
      id,
      { op: 'Replace', path: 'displayName', value: 'Pvlo' },
      { op: 'Replace', path: 'name.givenName', value: 'Gtfd' },
      { op: 'Replace', path: 'externalId', value: 'Eqpj' },
      { op: 'Replace', path: `${enterpriseSchema}:employeeNumber`, value: 'Eqpj' },
      { op: 'Add', path: `${enterpriseSchema}:manager`, value: '26118915' },
      { op: 'Add', path: 'addresses[type eq "work"].country', value: 'ML' },
    );
    const whole = await patch(
      id,
      { op: 'replace', path: 'emails[type eq "work"].value', value: suite.address('again') },
      {
        op: 'replace',
        value: {
          displayName: 'Bjfe',
          'name.givenName': 'Kkom',
          'name.familyName': 'Unua',
          [`${enterpriseSchema}:employeeNumber`]: 'Aklq',
        },
      },
    );
    assert.equal(whole.displayName, 'Bjfe');
    assert.equal(whole['nickName'], 'Babs');
    assert.equal(whole.externalId, 'Eqpj');
    assert.deepEqual(whole[enterpriseSchema], {
      employeeNumber: 'Aklq',
      manager: { value: '26118915' },
    });
    assert.deepEqual(whole['addresses'], [{ type: 'work', country: 'ML' }]);
    assert.deepEqual(await read(id), whole);
  });

  test('Entra ID disables with text and with a boolean, finds the disabled user, and deletes', async () => {
    const { get, patch, find, call } = suite;
    const { id } = await get<Resource>('POST', 'Users', entraUser('disable'), 201);
    for (const [op, value, active] of [
      ['Replace', 'False', false],
      ['Replace', 'True', true],
      ['replace', false, false],
    ] as const)
      assert.equal((await patch(id, { op, path: 'active', value })).active, active);
    const { Resources } = await find(`externalId eq "0a21f0f2-8d2a-4f8e-bf98-disable"`);
    assert.deepEqual(
      Resources.map(({ active }) => active),
      [false],
    );
    assert.equal((await call('DELETE', `Users/${id}`)).status, 204);
    assertScimError(await call('GET', `Users/${id}`), 404);
  });

  test('Entra ID creates, finds, renames, fills, empties and deletes groups', async () => {
    const { get, call, find } = suite;
    const user = await get<Resource>('POST', 'Users', entraUser('member'), 201);
    const group = await get<Resource>(
      'POST',
      'Groups',
      {
        schemas: [
          groupSchema,
          'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
        ],
        externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
        displayName: 'displayName',
        meta: { resourceType: 'Group' },
      },
      201,
    );
    assert.deepEqual(group.members, []);
    const at = `Groups/${group.id}`;
    const list = await get<List>(
      'GET',
      'Groups?excludedAttributes=members&filter=displayName%20eq%20%22displayName%22',
    );
    assert.deepEqual(
      list.Resources.map(({ id }) => id),
      [group.id],
    );
    const change = async (...operations: object[]) =>
      assert.equal((await call('PATCH', at, patchOf(...operations))).status, 204);
    await change({ op: 'Replace', path: 'displayName', value: '1879db59updatedDisplayName' });
    const members = [{ $ref: null, value: user.id }];
    await change({ op: 'Add', path: 'members', value: members });
    assert.deepEqual(
      (await get<Resource>('GET', at)).members?.map((one) => one.value),
      [user.id],
    );
    assert.equal(
      (await find(`id eq "${group.id}" and members eq "${user.id}"`, 'Groups')).totalResults,
      1,
    );
    await change({ op: 'Remove', path: 'members', value: members });
    assert.deepEqual((await get<Resource>('GET', at)).members, []);
    await change({ op: 'Add', path: 'members', value: members });
    await change({ op: 'remove', path: `members[value eq "${user.id}"]` });
    assert.equal((await call('DELETE', at)).status, 204);
  });

  test('Okta looks up, creates, replaces and deactivates users, and never sends a password on', async () => {
    const { stack, get, patch, Tenant } = suite;
    const empty = await get<List>(
      'GET',
      `Users?filter=userName%20eq%20%22${encodeURIComponent(suite.address('okta'))}%22&startIndex=1&count=100`,
    );
    assert.equal(empty.totalResults, 0);
    const user = await get<Resource>('POST', 'Users', oktaUser('okta'), 201);
    assert.ok(!JSON.stringify(user).includes('1mz050nq'));
    const put = {
      ...oktaUser('okta'),
      id: user.id,
      name: { givenName: 'Another', middleName: '', familyName: 'User' },
      emails: [
        {
          primary: true,
          value: suite.address('okta'),
          type: 'work',
          display: suite.address('okta'),
        },
      ],
      meta: { resourceType: 'User' },
    };
    const replaced = await get<Resource>('PUT', `Users/${user.id}`, put);
    assert.deepEqual(replaced.name, { givenName: 'Another', familyName: 'User' });
    assert.equal((await patch(user.id, { op: 'replace', value: { active: false } })).active, false);
    assert.equal(
      (await get<Resource>('PUT', `Users/${user.id}`, { ...put, active: true })).active,
      true,
    );
    assert.equal(
      (await get<Resource>('PUT', `Users/${user.id}`, { ...put, active: false })).active,
      false,
    );
    assertScimError(await suite.call('POST', 'Users', oktaUser('okta')), 409, 'uniqueness');
    for (const [rows, key] of [
      ['access.scim_user s where s.tenant = $2', Tenant],
      ['access.outbox s where s.for_tenant = $2', Tenant],
      ['identity.user_account s where s.id = $2', accountOf(user)],
    ] as const) {
      assert.ok((await countOf(stack, `${rows} and $1 <> ''`, ['1mz050nq', key])) > 0, rows);
      const holding = `${rows} and strpos(s::text, $1) > 0`;
      assert.equal(await countOf(stack, holding, ['1mz050nq', key]), 0, rows);
    }
  });

  test('Okta pushes groups: the name with every change, members by PATCH and by PUT', async () => {
    const { get, call } = suite;
    const [one, two] = [
      await get<Resource>('POST', 'Users', oktaUser('push-1'), 201),
      await get<Resource>('POST', 'Users', oktaUser('push-2'), 201),
    ];
    const group = await get<Resource>(
      'POST',
      'Groups',
      { schemas: [groupSchema], displayName: 'Test SCIMv2', members: [] },
      201,
    );
    const at = `Groups/${group.id}`;
    const ids = async () => (await get<Resource>('GET', at)).members?.map(({ value }) => value);
    const change = async (...operations: object[]) =>
      assert.equal((await call('PATCH', at, patchOf(...operations))).status, 204);
    await change({ op: 'replace', value: { id: group.id, displayName: 'Test SCIMv2' } });
    await change(
      { op: 'remove', path: `members[value eq "${two.id}"]` },
      { op: 'add', path: 'members', value: [{ value: one.id, display: one.userName }] },
    );
    assert.deepEqual(await ids(), [one.id]);
    const members = [one, two].map(({ id, userName }) => ({ value: id, display: userName }));
    await change({ op: 'replace', path: 'members', value: members });
    assert.deepEqual(await ids(), [one.id, two.id].sort());
    const put = await get<Resource>('PUT', at, {
      schemas: [groupSchema],
      id: group.id,
      displayName: 'Test SCIMv20',
      members: members.slice(1),
    });
    assert.deepEqual([put.displayName, put.members?.length], ['Test SCIMv20', 1]);
    const page = await get<List>('GET', 'Groups?startIndex=1&count=100');
    assert.ok(
      page.Resources.some(({ id, members: listed }) => id === group.id && listed?.length === 1),
    );
    assert.equal((await call('DELETE', at)).status, 204);
  });
});
