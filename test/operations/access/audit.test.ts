import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import {
  assertRefused,
  bodyOf,
  readList,
  recordIn,
  retryWhileBusy,
} from '../../support/answers.ts';
import { type Answer, describeOne, eventually } from '../../support/harness.ts';
import { newAddress } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type Audit, type Entry, startAudit } from './audit-entries.ts';

const missing = createId('tnt');

describeOne('audit', 'one process', (topology) => {
  let suite: Audit;
  before(async () => {
    suite = await startAudit(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('every change leaves an entry with actor, target, permission and call', async () => {
    const { stack, ada, bob, newTenant, entriesWhenThere, requestIdOf } = suite;
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
      const targetsOfEntry = entry.Targets.map((target) =>
        target.Type === 'group' ? { ...target, ID: target.ID.replace(/^grp_.*/, '') } : target,
      );
      assert.deepEqual(targetsOfEntry, targets, action);
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
    const { stack, ada, bob, newTenant, save, entriesWhenThere } = suite;
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
    const { stack, bob, newTenant, save, entriesWhenThere, requestIdOf } = suite;
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
    const { stack, bob, entriesOf } = suite;
    const tried = [bob.email, newAddress('unknown')];
    for (const Email of tried)
      assertRefused(
        await stack.call('Account_Login', { Email, Password: 'not the password' }),
        401,
        'unauthenticated',
      );
    const entries = await eventually('both entries', async () => {
      const all = await entriesOf(
        '',
        { Filter: { Actions: ['user.sign_in_failed'] } },
        stack.platformKey,
      );
      const refusals = all.filter(({ Targets }) => tried.includes(Targets[0]?.Name ?? ''));
      return refusals.length >= 2 && refusals;
    });
    const results = entries.map(({ Result, Code, IP, Targets }) =>
      [Result, Code, IP, Targets[0]?.Name].join(),
    );
    assert.deepEqual(
      results.sort(),
      tried.map((name) => `failed,unauthenticated,127.0.0.1,${name}`).sort(),
    );
  });

  test('the entries of a tenant are numbered without gaps and chained by their hashes', async () => {
    const { stack, bob, newTenant, save, entriesWhenThere } = suite;
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
