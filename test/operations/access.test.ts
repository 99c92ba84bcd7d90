import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { describeBoth, eventually } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { type Decisions, startDecisions } from './access-calls.ts';

describeBoth('decisions', (topology) => {
  let suite: Decisions;
  before(async () => {
    suite = await startDecisions(topology);
  });
  after(() => suite?.stop());

  test('Access_Check answers for one permission and for many, for the caller and for others', async () => {
    const { stack, person, ask } = suite;
    const allowed = async (body: object, token?: string) =>
      recordIn(await ask('Access_Check', body, token), 'Allowed');
    assert.equal(await allowed({ Permission: 'app.notes.write' }, person.token), true);
    assert.equal(await allowed({ Permission: 'app.notes.*', Subject: person.id }), true);
    assert.equal(await allowed({ Permission: 'app.*', Subject: person.id }), false);
    assert.equal(await allowed({ Permission: 'app.reports.read', Subject: person.id }), false);
    assert.equal(
      await allowed({ Permission: 'app.reports.read', Resource: 'report-7', Subject: person.id }),
      true,
    );
    assert.equal(
      await allowed({ Permission: 'app.reports.read', Resource: 'report-8', Subject: person.id }),
      false,
    );
    assert.equal(
      await allowed({ Permission: 'app.notes.write', Resource: 'anything', Subject: person.id }),
      true,
    );
    assert.equal(await allowed({ Permission: 'app.notes.write', Subject: createId('usr') }), false);
    const Checks = [
      { Permission: 'iam.webhooks.read' },
      { Permission: 'app.reports.read', Resource: 'report-7' },
      { Permission: 'iam.webhooks.write' },
    ];
    const many = bodyOf(await ask('Access_Check', { Checks }, person.token));
    assert.deepEqual(many, {
      Allowed: false,
      Results: Checks.map((check, index) => ({ Resource: '', ...check, Allowed: index < 2 })),
    });
    // A request without a tenant is never answered for another tenant, even when the caller has
    // only one.
    assertRefused(
      await stack.call('Access_Check', { Permission: 'app.notes.read' }, person.token),
      400,
      'invalid_argument',
      ['Tenant is required'],
    );
  });

  test('Access_Check, _ListPermissions and _Explain, for a caller without iam.grants.read, answer about the caller only and disclose no other tenant', async () => {
    const { stack, owner, person, other, ask, explain } = suite;
    for (const operation of ['Access_Check', 'Access_ListPermissions', 'Access_Explain']) {
      const permission = operation === 'Access_ListPermissions' ? {} : { Permission: 'app.x.read' };
      assertRefused(
        await ask(operation, { Subject: owner.id, ...permission }, person.token),
        403,
        'permission_denied',
      );
    }
    const foreign = await createTenant(stack, other.token ?? '');
    const Missing = [
      'the user is not a member of the tenant',
      'no role that is granted gives app.x.read',
    ];
    for (const nowhere of [foreign, createId('tnt')]) {
      const answer = await stack.call(
        'Access_Explain',
        { Tenant: nowhere, Permission: 'app.x.read' },
        person.token,
      );
      assert.deepEqual(bodyOf(answer), { Allowed: false, Paths: [], Missing });
      assertRefused(
        await stack.call(
          'Access_Check',
          { Tenant: nowhere, Subject: other.id, Permission: 'app.x.read' },
          owner.token,
        ),
        403,
        'permission_denied',
      );
    }
    // The answer does not disclose whether a stranger exists or is disabled.
    const stranger = await signUp(stack);
    bodyOf(await stack.call('Users_Disable', { UserID: stranger.id }, stack.platformKey));
    for (const Subject of [stranger.id, createId('usr')])
      assert.deepEqual((await explain('app.x.read', { Subject })).Missing, Missing);
    assertRefused(await ask('Access_Check', {}), 400, 'invalid_argument', [
      'Permission is required',
    ]);
    assertRefused(
      await ask('Access_Check', { Permission: 'App', Subject: 'me' }),
      400,
      'invalid_argument',
      [
        'Subject must be an identifier of a user or bot',
        'Permission must be a permission such as app.reports.read, "*" only as the last segment',
      ],
    );
  });

  test('Access_ListPermissions lists the granted permissions, in the tenant and on a resource', async () => {
    const { person, ask } = suite;
    const list = async (body: object) =>
      recordIn(
        await ask('Access_ListPermissions', { Subject: person.id, ...body }),
        'Permissions',
      ) as string[];
    const everywhere = [
      'app.notes.*',
      'iam.groups.read',
      'iam.roles.read',
      'iam.tenant.read',
      'iam.users.read',
      'iam.webhooks.read',
    ];
    assert.deepEqual(await list({}), everywhere);
    assert.deepEqual(
      await list({ Resource: 'report-7' }),
      [...everywhere, 'app.reports.read'].sort(),
    );
  });

  test('Access_Explain lists every way to a permission, or the missing grants and memberships', async () => {
    const { person, Tenant, ask, explain } = suite;
    const { Allowed, Paths, Missing } = await explain('app.notes.write');
    assert.deepEqual([Allowed, Missing], [true, []]);
    assert.deepEqual(
      Paths.map(({ Grant, ...path }) => [Grant.startsWith('ggr_'), path]),
      [
        [
          true,
          {
            Group: 'eng/backend',
            InheritedFrom: 'eng',
            Role: 'editor',
            Permission: 'app.notes.*',
            Platform: false,
          },
        ],
      ],
    );
    bodyOf(await ask('Grants_Add', { Grant: { Tenant, UserID: person.id, Role: 'editor' } }));
    assert.deepEqual((await explain('app.notes.write')).Paths.map(({ Group }) => Group).sort(), [
      '',
      'eng/backend',
    ]);
    bodyOf(await ask('Grants_Remove', { Grant: { Tenant, UserID: person.id, Role: 'editor' } }));
    assert.deepEqual((await explain('app.billing.pay')).Missing, [
      'no role that is granted gives app.billing.pay',
    ]);
    assert.match(
      (await explain('app.reports.read')).Missing.join(),
      /^the grant grt_\w+ of the role reader is for the resource report-7 only$/,
    );
    assert.deepEqual((await explain('iam.platform.users.read')).Missing, [
      'iam.platform.users.read counts on the platform only',
    ]);
    assert.deepEqual((await explain('app.x.read', { Subject: createId('usr') })).Missing, [
      'the user is not a member of the tenant',
      'no role that is granted gives app.x.read',
    ]);
  });

  test('an audit entry names the grant that allowed the change, even when a group holds the grant', async () => {
    const { stack, owner, person, Tenant } = suite;
    const call = async (operation: string, body: object, token = owner.token) =>
      bodyOf(await stack.call(operation, body, token));
    await call('Roles_Save', {
      Role: { Tenant, Slug: 'steward', Permissions: ['iam.groups.write'] },
    });
    await call('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'steward' } });
    await call('Groups_Save', { Group: { Tenant, Path: 'guests' } }, person.token);
    const { items } = await readList<{ ID: string; Role: string }>(
      stack,
      'GroupGrants_ListByTenant',
      { Tenant },
      owner.token,
    );
    const entry = await eventually('the entry', async () => {
      const request = { Tenant, Filter: { Actions: ['group.created'], ActorIDs: [person.id] } };
      return (
        await readList<{ Permission: string; GrantID: string }>(
          stack,
          'Audit_List',
          request,
          owner.token,
        )
      ).items[0];
    });
    assert.deepEqual(
      [entry.Permission, entry.GrantID],
      ['iam.groups.write', items.find(({ Role }) => Role === 'steward')?.ID],
    );
  });
});
