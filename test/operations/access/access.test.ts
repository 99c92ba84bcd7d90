import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
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
      'no granted role has the permission app.x.read',
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

  test('Access_ListSubjects lists those for which Access_Check answers true, whatever gives the permission', async () => {
    const { stack, owner, person, other, Tenant, ask } = suite;
    const bot = await createBot(stack, Tenant, owner.token);
    const Grant = { Tenant, Bot: bot.ID, Role: 'editor' };
    bodyOf(await ask('BotGrants_Add', { Grant }));
    const list = async (body: object) =>
      (
        await readList<{ ID: string; Type: string }>(
          stack,
          'Access_ListSubjects',
          { Tenant, ...body },
          owner.token,
        )
      ).items.map(({ ID }) => ID);
    const everyone = [bot.ID, owner.id, person.id, other.id].toSorted();
    const checked = async (Permission: string, Resource: string) => {
      const allowed = await Promise.all(
        everyone.map(async (Subject) =>
          recordIn(await ask('Access_Check', { Subject, Permission, Resource }), 'Allowed'),
        ),
      );
      return everyone.filter((_, index) => allowed[index] === true);
    };
    for (const Permission of ['app.notes.write', 'app.reports.read', 'iam.users.read', 'iam.*'])
      for (const Resource of ['', 'report-7', 'report-8'])
        assert.deepEqual(
          // Tests beside this one give rights on the platform, which count in this tenant too.
          (await list({ Permission, Resource })).filter((id) => everyone.includes(id)),
          await checked(Permission, Resource),
        );
    assert.deepEqual(await list({ Permission: 'app.notes.read' }), [bot.ID, person.id].toSorted());
    assert.deepEqual(await list({ Permission: 'app.notes.read', Type: 'bot' }), [bot.ID]);
    assert.deepEqual(await list({ Permission: 'app.notes.read', Type: 'user' }), [person.id]);
    assert.deepEqual(await list({ Permission: 'iam.platform.tenants.read' }), []);

    // The end of a right ends the entry.
    bodyOf(await ask('Bots_Save', { Bot: { Tenant, ID: bot.ID, Name: 'idle', Active: false } }));
    bodyOf(await ask('TenantMembers_Disable', { Tenant, UserID: person.id }));
    await eventually('the inactive bot to be left out', async () => {
      const left = await list({ Permission: 'app.notes.read' });
      return left.length === 0;
    });
    bodyOf(await ask('TenantMembers_Enable', { Tenant, UserID: person.id }));
    assert.deepEqual(await list({ Permission: 'app.notes.read' }), [person.id]);
    bodyOf(await ask('Bots_Delete', { Tenant, ID: bot.ID }));
  });

  test('Access_ListSubjects answers callers with iam.grants.read in the tenant only, not even about themselves', async () => {
    const { stack, person, other, ask } = suite;
    const Permission = 'app.notes.read';
    assertRefused(
      await ask('Access_ListSubjects', { Permission }, person.token),
      403,
      'permission_denied',
    );
    const Tenant = await createTenant(stack, other.token);
    assertRefused(
      await ask('Access_ListSubjects', { Tenant, Permission }),
      403,
      'permission_denied',
    );
    assertRefused(await ask('Access_ListSubjects', { Type: 'group' }), 400, 'invalid_argument', [
      'Permission is required',
      'Type must be one of user, bot',
    ]);
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
      'no granted role has the permission app.billing.pay',
    ]);
    assert.match(
      (await explain('app.reports.read')).Missing.join(),
      /^the grant grt_\w+ of the role reader is for the resource report-7 only$/,
    );
    assert.deepEqual((await explain('iam.platform.users.read')).Missing, [
      'iam.platform.users.read applies on the platform only',
    ]);
    assert.deepEqual((await explain('app.x.read', { Subject: createId('usr') })).Missing, [
      'the user is not a member of the tenant',
      'no granted role has the permission app.x.read',
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
