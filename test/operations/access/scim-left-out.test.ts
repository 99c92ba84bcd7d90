import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import {
  accountOf,
  assertScimError,
  enterpriseSchema,
  patchOf,
  personOf,
  type Resource,
  type Scim,
  startScim,
  statusOf,
} from './scim-calls.ts';

// Attributes and values that a directory sends and Bailiwick does not store.

type Notice = {
  ID: string;
  ResourceType: string;
  Attribute: string;
  Message: string;
  ResourceID: string;
  FirstAt: string;
  LastAt: string;
};

const custom = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User';
const deactivation = { op: 'Replace', path: 'active', value: 'False' };

describeOne('attributes that SCIM does not store', 'one process', (topology) => {
  let suite: Scim;
  before(async () => {
    suite = await startScim(topology);
  });
  after(() => suite?.stop());

  async function notices(): Promise<Notice[]> {
    const { stack, owner, Tenant } = suite;
    const request = { Tenant, Page: { Limit: 200 } };
    const { status, body } = await stack.call('Scim_ListNotices', request, owner.token);
    assert.equal(status, 200, JSON.stringify(body));
    return (body['Page'] as { Items: Notice[] }).Items;
  }

  async function assertEnded(id: string): Promise<void> {
    const { stack, Tenant, read } = suite;
    const person = await read(id);
    assert.deepEqual([person.active, statusOf(person)], [false, 'disabled']);
    const account = accountOf(person);
    const [member] = await rowsOf(
      stack,
      'select status from access.tenant_member where tenant = $1 and user_id = $2',
      [Tenant, account],
    );
    assert.equal(member?.['status'], 'disabled');
  }

  test('attributes that are not stored are ignored in every form of request, and listed without their values', async () => {
    const { get, create, patch, Tenant, stack } = suite;
    const secret = 'never-to-be-seen';
    const unstored = {
      password: secret,
      roles: [{ value: secret, primary: 'True' }],
      photos: [],
      [enterpriseSchema]: { department: 'D', badge: secret },
      [`${custom}:tag`]: secret,
      [custom]: { tag: secret },
    };
    const person = await create('unstored', unstored);
    assert.deepEqual(person[enterpriseSchema], { department: 'D' });
    const again = personOf(person.userName, { ...unstored, entitlements: [{ value: secret }] });
    await get('PUT', `Users/${person.id}`, again);
    await patch(
      person.id,
      { op: 'Add', path: 'roles[primary eq "True"].value', value: secret },
      { op: 'add', path: `${custom}:other`, value: secret },
      { op: 'replace', value: { 'x509Certificates.value': secret, title: 'T' } },
      { op: 'remove', path: 'ims', value: [] },
    );
    assert.equal((await suite.read(person.id))['title'], 'T');
    for (const filter of ['roles pr', `${custom}:tag eq "x"`, 'roles[value eq "x"]'])
      assert.equal((await suite.find(filter)).totalResults, 0, filter);
    await get('POST', 'Groups', { displayName: 'Unstored', [custom]: { tag: secret } }, 201);
    const listed = await notices();
    assert.deepEqual(
      listed
        .map((one) => [one.ResourceType, one.Attribute, one.Message, one.ResourceID].join(' '))
        .toSorted(),
      [
        `Group ${custom}  `,
        ...[
          'password',
          'roles',
          'roles.value',
          'entitlements',
          'x509Certificates.value',
          'ims',
          custom,
          `${custom}:tag`,
          `${custom}:other`,
          `${enterpriseSchema}:badge`,
        ].map((attribute) => `User ${attribute}  `),
      ].toSorted(),
    );
    for (const { FirstAt, LastAt } of listed) assert.ok(FirstAt <= LastAt);
    const rows = await rowsOf(stack, 'select * from access.scim_notice where tenant = $1', [
      Tenant,
    ]);
    assert.ok(!JSON.stringify(rows).includes(secret));
  });

  test('an unknown core name is refused in every form of request', async () => {
    const { call, create, address } = suite;
    const { id, userName } = await create('unknown');
    const at = `Users/${id}`;
    for (const shoe of [{ shoeSize: 1 }, { name: { shoeSize: 1 } }, { emails: [{ size: 1 }] }]) {
      const refused = await call('POST', 'Users', personOf(address('never'), shoe));
      assertScimError(refused, 400, 'invalidSyntax', /there is no attribute/);
      assertScimError(await call('PUT', at, personOf(userName, shoe)), 400, 'invalidSyntax');
    }
    for (const operation of [
      { op: 'add', path: 'shoeSize', value: 1 },
      { op: 'add', value: { shoeSize: 1 } },
      { op: 'add', path: 'roles[primary eq "True"', value: 'x' },
    ])
      assertScimError(await call('PATCH', at, patchOf(operation)), 400, 'invalidPath');
    const group = { displayName: 'Shoes', roles: [] };
    assertScimError(await call('POST', 'Groups', group), 400, 'invalidSyntax');
  });

  const rests: ReadonlyArray<[name: string, operations: () => object[], left: RegExp[]]> = [
    ['an unstored attribute', () => [{ op: 'add', path: 'roles', value: [{ value: 'x' }] }], []],
    ['an unknown name', () => [{ op: 'add', path: 'shoeSize', value: 1 }], [/^shoeSize: there is/]],
    [
      'an unknown name without a path',
      () => [{ op: 'replace', value: { shoeSize: 1, active: 'fAlSe' } }],
      [/^shoeSize: there is/],
    ],
    ['a broken filter', () => [{ op: 'add', path: 'emails[type eq', value: 1 }], [/^emails/]],
    ['an unknown operation', () => [{ op: 'move', path: 'title' }], [/^title: op must be/]],
    ['no name any more', () => [{ op: 'remove', path: 'userName' }], [/^userName: userName is/]],
    [
      'a read-only attribute',
      () => [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }],
      [/^groups: groups is read-only/],
    ],
    [
      'a new address that is refused',
      () => [{ op: 'replace', path: 'emails', value: [{ value: 'away@elsewhere.test' }] }],
      [/^emails: a directory cannot change the address/],
    ],
    [
      "another person's address",
      () => [{ op: 'replace', path: 'emails', value: [{ value: suite.address('taken') }] }],
      [/^emails: another User/],
    ],
    [
      "another person's name",
      () => [{ op: 'replace', path: 'userName', value: suite.address('taken') }],
      [/^userName: another User/],
    ],
    [
      'no address',
      () => [{ op: 'replace', path: 'emails', value: [{ value: 'no address' }] }],
      [/^emails: emails must/],
    ],
    [
      'too many values',
      () => [
        { op: 'add', path: 'phoneNumbers', value: Array.from({ length: 101 }, (_, n) => `${n}`) },
      ],
      [/^phoneNumbers: phoneNumbers has too many/],
    ],
    [
      'too many operations',
      () => Array.from({ length: 201 }, () => ({ op: 'add', path: 'nickName', value: 'N' })),
      [/^nickName: Operations must have/],
    ],
    [
      'too large a resource',
      () =>
        Array.from({ length: 25 }, (_, n) => ({
          op: 'add',
          path: `addresses[type eq "${n}"].formatted`,
          value: 'x'.repeat(2000),
        })),
      [/^User: a User must have/],
    ],
  ];

  test('a PATCH that sets active to false deactivates the person, and lists its refused parts', async () => {
    const { create, patch, address } = suite;
    await create('taken');
    for (const [index, [name, operations, left]] of rests.entries()) {
      const person = await create(`leaver-${index}`, {
        emails: [{ value: address(`leaver-${index}`), type: 'work' }],
      });
      const rest = operations();
      const title = { op: 'replace', path: 'title', value: 'Former' };
      const changed = await patch(person.id, title, ...rest, deactivation);
      assert.equal(changed.active, false, name);
      await assertEnded(person.id);
      const isWhole = name === 'too large a resource';
      assert.equal(changed['title'], isWhole ? undefined : 'Former', name);
      assert.deepEqual([changed.userName, changed.emails], [person.userName, person.emails], name);
      const listed = (await notices())
        .filter(({ ResourceID }) => ResourceID === person.id)
        .map(({ Attribute, Message }) => `${Attribute}: ${Message}`);
      assert.equal(listed.length, left.length, `${name}: ${listed.join('; ')}`);
      for (const [at, pattern] of left.entries()) assert.match(listed[at] ?? '', pattern, name);
    }
  });

  test('a PUT that sets active to false deactivates the person, and keeps the stored values of refused parts', async () => {
    const { create, get, address } = suite;
    const emails = [{ value: address('put'), type: 'work', primary: true }];
    const person = await create('put', { emails, displayName: 'Before' });
    const put = personOf(person.userName, {
      active: 'FALSE',
      displayName: 'After',
      emails: [{ value: 'away@elsewhere.test', type: 'work' }],
      shoeSize: 1,
      title: { not: 'a text' },
    });
    const changed = await get<Resource>('PUT', `Users/${person.id}`, put);
    assert.deepEqual(changed.emails, emails);
    assert.equal(changed.displayName, 'After');
    await assertEnded(person.id);
    assert.deepEqual(
      (await notices())
        .filter(({ ResourceID }) => ResourceID === person.id)
        .map(({ Attribute }) => Attribute)
        .sort(),
      ['emails', 'shoeSize', 'title'],
    );
  });

  test('the same request without a false active is refused as a whole', async () => {
    const { create, call, read } = suite;
    const person = await create('stays');
    for (const active of [[], [{ op: 'replace', path: 'active', value: 'True' }]])
      for (const rest of [
        { op: 'add', path: 'shoeSize', value: 1 },
        { op: 'replace', path: 'emails', value: [{ value: 'away@elsewhere.test' }] },
      ])
        assert.equal(
          (await call('PATCH', `Users/${person.id}`, patchOf(...active, rest))).status,
          400,
        );
    const perhaps = { op: 'replace', path: 'active', value: 'perhaps' };
    assertScimError(
      await call('PATCH', `Users/${person.id}`, patchOf(perhaps)),
      400,
      'invalidValue',
    );
    assert.deepEqual(await read(person.id), person);
  });

  test('a deactivation holds among changes of the same person at the same time', async () => {
    const { create, call } = suite;
    const person = await create('busy');
    const change = (n: number) =>
      call('PATCH', `Users/${person.id}`, patchOf({ op: 'add', path: 'title', value: `${n}` }));
    const ending = [{ op: 'add', path: 'shoeSize', value: 1 }, deactivation];
    const [ended] = await Promise.all([
      call('PATCH', `Users/${person.id}`, patchOf(...ending)),
      ...Array.from({ length: 12 }, (_, n) => change(n)),
    ]);
    assert.equal(ended?.status, 200, JSON.stringify(ended?.body));
    await assertEnded(person.id);
  });

  test('the notices belong to the tenant, and need the right to read its audit', async () => {
    const { stack, Tenant } = suite;
    const stranger = await signUp(stack);
    assert.equal((await stack.call('Scim_ListNotices', { Tenant }, stranger.token)).status, 403);
    assert.equal((await stack.call('Scim_ListNotices', { Tenant }, suite.key)).status, 403);
  });
});
