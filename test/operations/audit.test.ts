import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../support/answers.ts';
import {
  type Answer,
  describeOne,
  eventually,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Entry = {
  ID: string;
  Tenant: string;
  Seq: number;
  OccurredAt: string;
  Action: string;
  Operation: string;
  Result: string;
  Code: string;
  ActorType: string;
  ActorID: string;
  CredentialID: string;
  Targets: Array<{ Type: string; ID: string; Name: string }>;
  Permission: string;
  GrantID: string;
  IP: string;
  RequestID: string;
  Changes: Array<{ Field: string; Old: string; New: string }>;
  PrevHash: string;
  Hash: string;
};

const missing = 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz';

describeOne('audit', 'five processes', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await startStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const newTenant = async () => tenantFor(stack, ada.id);
  const save = (Tenant: string, Path: string, token = ada.token) =>
    stack.call('Groups_Save', { Group: { Tenant, Path } }, token);
  /** All entries of a tenant, newest first. */
  const entriesOf = async (Tenant: string, more: object = {}, token = ada.token, limit = 200) =>
    (await readList<Entry>(stack, 'Audit_List', { Tenant, ...more }, token, limit)).items;
  /**
   * Waits until the projector, which runs a moment behind the calls, has written `count` entries.
   */
  const entriesWhenThere = (Tenant: string, count: number, more: object = {}, token = ada.token) =>
    eventually(`${count} audit entries`, async () => {
      const entries = await entriesOf(Tenant, more, token);
      return entries.length >= count && entries;
    });
  const requestIdOf = ({ headers }: Answer) => String(headers.get('x-request-id'));

  test('every change leaves an entry with actor, target, permission and call', async () => {
    const Tenant = await newTenant();
    const call = async (operation: string, request: object, token = ada.token) => {
      const answer = await stack.call(operation, request, token);
      bodyOf(answer);
      return answer;
    };
    const member = { Tenant, UserID: bob.id };
    const inGroup = { ...member, Group: 'eng' };
    const URL = `${stack.inboxUrl}/hooks/audit`;
    const endpoint = await call('Webhooks_CreateEndpoint', {
      Endpoint: { Tenant, Name: 'a', URL, EventTypes: ['nothing.at_all'] },
    });
    const { ID } = recordIn(endpoint, 'Endpoint') as { ID: string };
    const group = { Type: 'group', ID: '', Name: 'Eng' };
    const person = { Type: 'user', ID: bob.id, Name: '' };
    const webhook = { Type: 'webhook_endpoint', ID, Name: 'a' };
    const renamed = { ...webhook, Name: 'b' };
    const proposed = await call('TenantMembers_Add', member);
    await call('TenantMembers_Accept', { Tenant }, bob.token);
    const changes: Array<[action: string, permission: string, targets: object[], answer: Answer]> =
      [
        ['webhook_endpoint.created', 'iam.webhooks.write', [webhook], endpoint],
        ['tenant.member_proposed', 'iam.users.write', [person], proposed],
        [
          'group.created',
          'iam.groups.write',
          [group],
          await call('Groups_Save', { Group: { Tenant, Path: 'Eng', Name: 'Old' } }),
        ],
        [
          'group.updated',
          'iam.groups.write',
          [group],
          await call('Groups_Save', { Group: { Tenant, Path: 'eng', Name: 'New' } }),
        ],
        [
          'group.member_added',
          'iam.groups.write',
          [group, person],
          await call('Groups_AddMember', inGroup),
        ],
        [
          'group.member_removed',
          'iam.groups.write',
          [group, person],
          await call('Groups_RemoveMember', inGroup),
        ],
        [
          'webhook_endpoint.updated',
          'iam.webhooks.write',
          [renamed],
          await call('Webhooks_UpdateEndpoint', { Endpoint: { ID, Name: 'b', URL } }),
        ],
        [
          'webhook_endpoint.deleted',
          'iam.webhooks.write',
          [renamed],
          await call('Webhooks_DeleteEndpoint', { Tenant, ID }),
        ],
        [
          'tenant.member_removed',
          'iam.users.write',
          [person],
          await call('TenantMembers_Remove', member),
        ],
        [
          'group.deleted',
          'iam.groups.write',
          [group],
          await call('Groups_Delete', { Tenant, Path: 'eng' }),
        ],
      ];
    const [ownership] = (
      await readList<{ ID: string; Role: string }>(
        stack,
        'Grants_ListByTenant',
        { Tenant },
        ada.token,
      )
    ).items.filter(({ Role }) => Role === 'owner');
    // The tenant itself, its first member and owner, the other member who accepted, and that
    // member's role.
    const entries = await entriesWhenThere(Tenant, changes.length + 5);
    assert.deepEqual(
      entries.map(({ Action }) => Action).sort(),
      [
        'tenant.created',
        'tenant.member_added',
        'tenant.member_added',
        'grant.added',
        'grant.added',
        ...changes.map(([action]) => action),
      ].sort(),
    );
    for (const [action, permission, targets, answer] of changes) {
      const entry = entries.find(
        ({ Action, RequestID }) => Action === action && RequestID === requestIdOf(answer),
      );
      assert.ok(entry, action);
      assert.deepEqual([entry.Tenant, entry.Result, entry.Code], [Tenant, 'success', ''], action);
      assert.deepEqual([entry.Permission, entry.GrantID], [permission, ownership?.ID], action);
      assert.deepEqual(
        [entry.ActorType, entry.ActorID, entry.IP],
        ['user', ada.id, '127.0.0.1'],
        action,
      );
      assert.match(entry.CredentialID, /^ses_/);
      assert.ok(Math.abs(Date.parse(entry.OccurredAt) - Date.now()) < 60_000);
      const shown = entry.Targets.map((target) =>
        target.Type === 'group' ? { ...target, ID: target.ID.replace(/^grp_.*/, '') } : target,
      );
      assert.deepEqual(shown, targets, action);
    }
    assert.deepEqual(entries.find(({ Action }) => Action === 'group.updated')?.Changes, [
      { Field: 'Name', Old: 'Old', New: 'New' },
    ]);
    const [first] = entries.filter(({ Action }) => Action === 'tenant.created');
    assert.deepEqual(
      [first?.ActorType, first?.GrantID, first?.Operation, first?.Targets[0]?.ID],
      ['platform', '', 'Tenants_Create', Tenant],
    );
    assert.ok(!JSON.stringify(entries).includes(String(endpoint.body['Secret'])));
  });

  test('calls without a change leave no entry: reads, repetitions, invalid requests and calls without a credential', async () => {
    const Tenant = await newTenant();
    bodyOf(await save(Tenant, 'eng'));
    bodyOf(await save(Tenant, 'eng'));
    for (const operation of [
      'Groups_List',
      'Tenants_Get',
      'TenantMembers_List',
      'Webhooks_ListEndpoints',
      'Audit_List',
    ]) {
      bodyOf(await stack.call(operation, { Tenant }, ada.token));
    }
    bodyOf(
      await stack.call('Groups_RemoveMember', { Tenant, Group: 'eng', UserID: bob.id }, ada.token),
    );
    assertRefused(await save(Tenant, '-'), 400, 'invalid_argument');
    assertRefused(
      await stack.call('Groups_AddMember', { Tenant, Group: 'eng', UserID: bob.id }, ada.token),
      400,
      'not_found',
    );
    assertRefused(
      await stack.call('Groups_Delete', { Tenant, Path: 'eng' }),
      401,
      'unauthenticated',
    );
    bodyOf(await save(Tenant, 'last'));
    const entries = await entriesWhenThere(Tenant, 5);
    assert.deepEqual(entries.map(({ Action }) => Action).sort(), [
      'grant.added',
      'group.created',
      'group.created',
      'tenant.created',
      'tenant.member_added',
    ]);
  });

  test('a denied call leaves an entry in the tenant that it named, or on the platform without a tenant', async () => {
    const Tenant = await newTenant();
    const denied = [
      await save(Tenant, 'eng', bob.token),
      await stack.call('Groups_List', { Tenant }, bob.token),
    ];
    for (const answer of denied) assertRefused(answer, 403, 'permission_denied');
    const entries = await entriesWhenThere(Tenant, 2, { Filter: { Result: 'denied' } });
    assert.equal(entries.length, 2);
    for (const [index, permission] of ['iam.groups.write', 'iam.groups.read'].entries()) {
      const entry = entries.find(
        ({ RequestID }) => RequestID === requestIdOf(denied[index] as Answer),
      );
      assert.ok(entry, permission);
      const { Action, Operation, Result, Code, ActorType, ActorID, Permission, Targets } = entry;
      assert.deepEqual(
        [Action, Operation, Result, Code],
        ['access.denied', ['Groups_Save', 'Groups_List'][index], 'denied', 'permission_denied'],
      );
      assert.deepEqual([ActorType, ActorID, Permission, Targets], ['user', bob.id, permission, []]);
    }
    const lost = await save(missing, 'eng', bob.token);
    assertRefused(lost, 403, 'permission_denied');
    const [entry, ...more] = await entriesWhenThere(
      '',
      1,
      { Filter: { TargetIDs: [missing] } },
      stack.platformKey,
    );
    assert.ok(entry && more.length === 0);
    assert.deepEqual(
      [entry.Tenant, entry.Result, entry.ActorID, entry.RequestID],
      ['', 'denied', bob.id, requestIdOf(lost)],
    );
    assert.deepEqual(entry.Targets, [{ Type: 'tenant', ID: missing, Name: '' }]);
    assert.equal(await countOf(stack, 'access.audit_head where tenant = $1', [missing]), 0);
  });

  test('a failed sign-in leaves an entry on the platform that names the attempted account', async () => {
    const tried = [bob.email, 'unknown@example.com'];
    for (const Email of tried)
      assertRefused(
        await stack.call('Account_Login', { Email, Password: 'not the password' }),
        401,
        'unauthenticated',
      );
    const entries = await entriesWhenThere(
      '',
      2,
      { Filter: { Actions: ['user.sign_in_failed'] } },
      stack.platformKey,
    );
    const shown = entries.map(({ Result, Code, IP, Targets }) =>
      [Result, Code, IP, Targets[0]?.Name].join(),
    );
    assert.deepEqual(
      shown.sort(),
      tried.map((name) => `failed,unauthenticated,127.0.0.1,${name}`).sort(),
    );
  });

  test('the entries of a tenant are numbered without gaps and chained by their hashes', async () => {
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const paths = Array.from({ length: 40 }, (_, index) => `g${index}`);
    const refused = paths.slice(0, 10).map((path) => () => save(Tenant, path, bob.token));
    const calls = [
      ...paths.flatMap((path) => [() => save(Tenant, path), () => save(other, path)]),
      ...refused,
    ];
    await Promise.all(calls.map((call) => retryWhileBusy(call)));
    for (const [tenant, count] of [
      [Tenant, 53],
      [other, 43],
    ] as const) {
      const entries = (await entriesWhenThere(tenant, count)).toReversed();
      assert.deepEqual(
        entries.map(({ Seq }) => Seq),
        Array.from({ length: count }, (_, index) => index + 1),
      );
      let last = '';
      for (const entry of entries) {
        assert.equal(entry.PrevHash, last, `PrevHash of ${entry.Seq}`);
        assert.equal(entry.Hash, hashOf(entry), `Hash of ${entry.Seq}`);
        last = entry.Hash;
      }
      assert.deepEqual(
        await rowsOf(stack, 'select seq, hash from access.audit_head where tenant = $1', [tenant]),
        [{ seq: count, hash: last }],
      );
    }
  });

  test('Audit_List returns the entries that match its filter', async () => {
    const Tenant = await newTenant();
    bodyOf(await save(Tenant, 'a'));
    for (const token of [bob.token, stack.platformKey]) await save(Tenant, 'b', token);
    bodyOf(await stack.call('Groups_AddMember', { Tenant, Group: 'a', UserID: ada.id }, ada.token));
    const all = await entriesWhenThere(Tenant, 7);
    const middle = all[3]?.OccurredAt ?? '';
    const filters: Array<[filter: object, keeps: (entry: Entry) => boolean]> = [
      [{ Actions: ['group.created'] }, ({ Action }) => Action === 'group.created'],
      [
        { Actions: ['group.created', 'grant.added'] },
        ({ Action }) => ['group.created', 'grant.added'].includes(Action),
      ],
      [{ ActorIDs: [ada.id] }, ({ ActorID }) => ActorID === ada.id],
      [{ ActorIDs: [ada.id, bob.id] }, ({ ActorID }) => [ada.id, bob.id].includes(ActorID)],
      [{ TargetIDs: [ada.id] }, ({ Targets }) => Targets.some(({ ID }) => ID === ada.id)],
      [{ Result: 'denied' }, ({ Result }) => Result === 'denied'],
      [{ From: middle }, ({ OccurredAt }) => OccurredAt >= middle],
      [{ To: middle }, ({ OccurredAt }) => OccurredAt < middle],
      [
        { Actions: ['group.created'], ActorIDs: [ada.id], Result: 'success' },
        ({ Action, ActorID }) => Action === 'group.created' && ActorID === ada.id,
      ],
    ];
    for (const [filter, keeps] of filters) {
      const expected = all.filter(keeps);
      assert.ok(
        expected.length > 0 && expected.length < all.length,
        `${JSON.stringify(filter)} restricts`,
      );
      assert.deepEqual(
        await entriesOf(Tenant, { Filter: filter }, ada.token, 2),
        expected,
        JSON.stringify(filter),
      );
    }
    for (const filter of [{}, null, { Actions: [], Result: '', IP: '' }, { IP: '127.0.0.1' }])
      assert.deepEqual(await entriesOf(Tenant, { Filter: filter }), all);
    for (const filter of [
      { IP: '192.0.2.1' },
      { Actions: ['group.%'] },
      { Actions: ['x'], ActorIDs: [ada.id] },
    ]) {
      assert.deepEqual(await entriesOf(Tenant, { Filter: filter }), []);
    }
    for (const filter of [
      { Result: 'odd' },
      { From: 'yesterday' },
      { Actions: 'group.created' },
      { Actions: Array.from({ length: 51 }, () => 'a') },
    ]) {
      assertRefused(
        await stack.call('Audit_List', { Tenant, Filter: filter }, ada.token),
        400,
        'invalid_argument',
      );
    }
  });

  test('Audit_List pages newest first, and new entries do not shift the pages', async () => {
    const Tenant = await newTenant();
    for (const path of ['a', 'b', 'c', 'd']) bodyOf(await save(Tenant, path));
    const all = await entriesWhenThere(Tenant, 7);
    const page = (Cursor: string, more: object = {}) =>
      readPage<Entry>(
        stack,
        'Audit_List',
        { Tenant, Page: { Limit: 3, Cursor }, ...more },
        ada.token,
      );
    const first = await page('');
    bodyOf(await save(Tenant, 'e'));
    await entriesWhenThere(Tenant, 8);
    const second = await page(first.NextCursor);
    const third = await page(second.NextCursor);
    assert.deepEqual([...first.Items, ...second.Items, ...third.Items], all);
    assert.deepEqual(
      all.map(({ Seq }) => Seq),
      [7, 6, 5, 4, 3, 2, 1],
    );
    assert.equal(third.NextCursor, '');
    for (const request of [
      { Tenant, Filter: { Result: 'success' } },
      { Tenant: await newTenant() },
    ]) {
      const answer = await stack.call(
        'Audit_List',
        { ...request, Page: { Cursor: first.NextCursor } },
        ada.token,
      );
      assertRefused(answer, 400, 'invalid_argument', ['Page.Cursor is not a cursor of this list']);
    }
  });

  test('Audit_List denies strangers and plain members, and shows the platform’s entries to the platform only', async () => {
    const Tenant = await newTenant();
    assertRefused(await stack.call('Audit_List', { Tenant }, bob.token), 403, 'permission_denied');
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: bob.id }, stack.platformKey));
    assertRefused(await stack.call('Audit_List', { Tenant }, bob.token), 403, 'permission_denied');
    assert.ok((await entriesWhenThere(Tenant, 3, {}, stack.platformKey)).length >= 3);
    for (const { token } of [ada, bob])
      assertRefused(await stack.call('Audit_List', {}, token), 400, 'invalid_argument', [
        'Tenant is required',
      ]);
    const own = await entriesWhenThere(
      '',
      1,
      { Filter: { Actions: ['user.registered'], TargetIDs: [ada.id] } },
      stack.platformKey,
    );
    assert.ok(own.every((entry) => entry.Tenant === ''));
  });

  test('Audit_ListByUser shows users their own actions, and others the actions in their tenant', async () => {
    const [first, second] = [await newTenant(), await newTenant()];
    const eve = await signUp(stack);
    for (const Tenant of [first, second]) {
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: eve.id }, stack.platformKey));
      assertRefused(await save(Tenant, 'eng', eve.token), 403, 'permission_denied');
    }
    const list = (request: object, token: string) =>
      readList<Entry>(stack, 'Audit_ListByUser', { UserID: eve.id, ...request }, token, 1);
    const own = await eventually('the entries of her actions', async () => {
      const { items } = await list({}, eve.token);
      return (
        [first, second].every((tenant) => items.some(({ Tenant }) => Tenant === tenant)) &&
        items.some(({ Action }) => Action === 'user.signed_in') &&
        items
      );
    });
    assert.ok(own.every(({ ActorID }) => ActorID === eve.id));
    assert.deepEqual(
      own.map(({ ID }) => ID),
      own
        .map(({ ID }) => ID)
        .sort()
        .toReversed(),
    );
    assert.deepEqual(
      (await list({ Tenant: first }, ada.token)).items,
      own.filter(({ Tenant }) => Tenant === first),
    );
    assert.deepEqual((await list({}, stack.platformKey)).items, own);
    assertRefused(
      await stack.call('Audit_ListByUser', { UserID: eve.id, Tenant: first }, bob.token),
      403,
      'permission_denied',
    );
    for (const { token } of [ada, bob])
      assertRefused(
        await stack.call('Audit_ListByUser', { UserID: eve.id }, token),
        400,
        'invalid_argument',
        ['Tenant is required'],
      );
  });
});

// The chain as documented: SHA-256 over the previous hash, a newline and the entry as JSON with
// sorted keys, without empty values. Implemented here again, because the reader of an export has
// none of our code.
function hashOf({ PrevHash, ...rest }: Entry): string {
  const entry: Partial<Entry> = rest;
  delete entry.Hash;
  return createHash('sha256')
    .update(`${PrevHash}\n${JSON.stringify(sorted(entry))}`)
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(
    ([, field]) => field !== '' && !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, sorted(field)]),
  );
}
