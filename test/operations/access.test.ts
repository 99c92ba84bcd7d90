import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { eventTypesOf, rowsOf } from '../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Path = {
  Grant: string;
  Group: string;
  InheritedFrom: string;
  Role: string;
  Permission: string;
};
type Explanation = { Allowed: boolean; Paths: Path[]; Missing: string[] };
type Difference = { Subject: string; Permission: string; Resource: string };
type Plan = { Gained: Difference[]; Lost: Difference[]; Warnings: string[] };

describeBoth('decisions', (topology) => {
  let stack: Stack;
  let [owner, person, other]: Person[] = [];
  let Tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    [owner, person, other] = await Promise.all([signUp(stack), signUp(stack), signUp(stack)]);
    Tenant = await createTenant(stack, owner.token);
    const call = async (operation: string, body: object) =>
      bodyOf(await stack.call(operation, body, owner?.token));
    for (const user of [person, other])
      bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: user.id }, stack.platformKey));
    await call('Roles_Save', {
      Role: { Tenant, Slug: 'editor', Permissions: ['app.notes.*', 'iam.webhooks.read'] },
    });
    await call('Roles_Save', {
      Role: { Tenant, Slug: 'reader', Permissions: ['app.reports.read'] },
    });
    for (const Path of ['eng', 'eng/backend'])
      await call('Groups_Save', { Group: { Tenant, Path } });
    await call('Groups_AddMember', { Tenant, Group: 'eng/backend', UserID: person.id });
    await call('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'editor' } });
    await call('Grants_Add', {
      Grant: { Tenant, UserID: person.id, Role: 'reader', Resource: 'report-7' },
    });
  });
  after(() => stack?.stop());

  const ask = (operation: string, body: object, token = owner?.token) =>
    stack.call(operation, operation.startsWith('Access_') ? { Tenant, ...body } : body, token);
  const explain = async (Permission: string, body: object = {}) =>
    bodyOf(
      await ask('Access_Explain', { Subject: person?.id, Permission, ...body }),
    ) as unknown as Explanation;
  const plan = async (...Changes: object[]) =>
    bodyOf(await ask('Access_Plan', { Changes })) as unknown as Plan;

  test('Access_Check answers for one permission and for many, for the caller and for others', async () => {
    const allowed = async (body: object, token?: string) =>
      recordIn(await ask('Access_Check', body, token), 'Allowed');
    assert.equal(await allowed({ Permission: 'app.notes.write' }, person?.token), true);
    assert.equal(await allowed({ Permission: 'app.notes.*', Subject: person?.id }), true);
    assert.equal(await allowed({ Permission: 'app.*', Subject: person?.id }), false);
    assert.equal(await allowed({ Permission: 'app.reports.read', Subject: person?.id }), false);
    assert.equal(
      await allowed({ Permission: 'app.reports.read', Resource: 'report-7', Subject: person?.id }),
      true,
    );
    assert.equal(
      await allowed({ Permission: 'app.reports.read', Resource: 'report-8', Subject: person?.id }),
      false,
    );
    assert.equal(
      await allowed({ Permission: 'app.notes.write', Resource: 'anything', Subject: person?.id }),
      true,
    );
    assert.equal(await allowed({ Permission: 'app.notes.write', Subject: createId('usr') }), false);
    const Checks = [
      { Permission: 'iam.webhooks.read' },
      { Permission: 'app.reports.read', Resource: 'report-7' },
      { Permission: 'iam.webhooks.write' },
    ];
    const many = bodyOf(await ask('Access_Check', { Checks }, person?.token));
    assert.deepEqual(many, {
      Allowed: false,
      Results: Checks.map((check, index) => ({ Resource: '', ...check, Allowed: index < 2 })),
    });
    // A request without a tenant is never answered for another tenant, even when the caller has
    // only one.
    assertRefused(
      await stack.call('Access_Check', { Permission: 'app.notes.read' }, person?.token),
      400,
      'invalid_argument',
      ['Tenant is required'],
    );
  });

  test('Access_Check, _ListPermissions and _Explain, for a caller without iam.grants.read, answer about the caller only and disclose no other tenant', async () => {
    for (const operation of ['Access_Check', 'Access_ListPermissions', 'Access_Explain']) {
      const permission = operation === 'Access_ListPermissions' ? {} : { Permission: 'app.x.read' };
      assertRefused(
        await ask(operation, { Subject: owner?.id, ...permission }, person?.token),
        403,
        'permission_denied',
      );
    }
    const foreign = await createTenant(stack, other?.token ?? '');
    const Missing = [
      'the user is not a member of the tenant',
      'no role that is granted gives app.x.read',
    ];
    for (const nowhere of [foreign, createId('tnt')]) {
      const answer = await stack.call(
        'Access_Explain',
        { Tenant: nowhere, Permission: 'app.x.read' },
        person?.token,
      );
      assert.deepEqual(bodyOf(answer), { Allowed: false, Paths: [], Missing });
      assertRefused(
        await stack.call(
          'Access_Check',
          { Tenant: nowhere, Subject: other?.id, Permission: 'app.x.read' },
          owner?.token,
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
    const list = async (body: object) =>
      recordIn(
        await ask('Access_ListPermissions', { Subject: person?.id, ...body }),
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
    bodyOf(await ask('Grants_Add', { Grant: { Tenant, UserID: person?.id, Role: 'editor' } }));
    assert.deepEqual((await explain('app.notes.write')).Paths.map(({ Group }) => Group).sort(), [
      '',
      'eng/backend',
    ]);
    bodyOf(await ask('Grants_Remove', { Grant: { Tenant, UserID: person?.id, Role: 'editor' } }));
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

  test('Access_Plan lists who would gain and lose which permissions, and changes nothing', async () => {
    const before = await rowsOf(
      stack,
      'select * from access.grant_entry where tenant = $1 order by id',
      [Tenant],
    );
    const outbox = await eventTypesOf(stack, 'access', Tenant);
    const moved = await plan(
      { Groups_RemoveMember: { Tenant, Group: 'eng/backend', UserID: person?.id } },
      { Groups_AddMember: { Tenant, Group: 'eng', UserID: other?.id } },
    );
    const editor = (Subject?: string) =>
      ['iam.webhooks.read', 'app.notes.*'].map((Permission) => ({
        Subject,
        Permission,
        Resource: '',
      }));
    assert.deepEqual(moved, { Gained: editor(other?.id), Lost: editor(person?.id), Warnings: [] });
    const deleted = await plan(
      { Groups_Delete: { Tenant, Path: 'eng' } },
      { Groups_Delete: { Tenant, Path: 'eng/backend' } },
    );
    assert.deepEqual(deleted.Lost, editor(person?.id));
    const widened = await plan({
      Roles_Save: { Role: { Tenant, Slug: 'reader', Permissions: ['app.reports.*'] } },
    });
    assert.deepEqual(widened.Gained, [
      { Subject: person?.id, Permission: 'app.reports.*', Resource: 'report-7' },
    ]);
    assert.deepEqual(
      await rowsOf(stack, 'select * from access.grant_entry where tenant = $1 order by id', [
        Tenant,
      ]),
      before,
    );
    assert.deepEqual(await eventTypesOf(stack, 'access', Tenant), outbox);
  });

  test('Access_Plan warns about each change that would be refused, and applies the others', async () => {
    const answer = await plan(
      { Roles_Delete: { Tenant, Slug: 'editor' } },
      { Grants_Remove: { Grant: { Tenant, UserID: owner?.id, Role: 'owner' } } },
      { Grants_Add: { Grant: { Tenant, UserID: other?.id, Role: 'nothing' } } },
      { Grants_Add: { Grant: { Tenant, UserID: other?.id, Role: 'reader' } } },
      { Roles_Save: { Role: { Tenant, Slug: 'reader', Permissions: ['iam.wirte'] } } },
      {
        Grants_Add: {
          Grant: { Tenant, UserID: other?.id, Role: 'editor', ExpiresAt: '2020-01-01T00:00:00Z' },
        },
      },
    );
    assert.deepEqual(answer.Warnings, [
      'Changes[0].Roles_Delete would be refused: the role is granted',
      'Changes[1].Grants_Remove would be refused: the last owner of a tenant cannot be removed',
      'Changes[2].Grants_Add would be refused: role not found',
      'Changes[4].Roles_Save would be refused: Role.Permissions iam.wirte is not a built-in permission',
      'Changes[5].Grants_Add would be refused: Grant.ExpiresAt must be in the future',
    ]);
    assert.deepEqual(answer.Gained, [
      { Subject: other?.id, Permission: 'app.reports.read', Resource: '' },
    ]);
    // A change that the caller may not make is a warning too.
    bodyOf(await ask('Grants_Add', { Grant: { Tenant, UserID: other?.id, Role: 'auditor' } }));
    const refused = await ask(
      'Access_Plan',
      { Changes: [{ Grants_Add: { Grant: { Tenant, UserID: other?.id, Role: 'owner' } } }] },
      other?.token,
    );
    assert.deepEqual(bodyOf(refused), {
      Gained: [],
      Lost: [],
      Warnings: ['Changes[0].Grants_Add would be refused: it needs iam.grants.write'],
    });
    assertRefused(await ask('Access_Plan', { Changes: [{}] }), 400, 'invalid_argument', [
      'Changes[0] must contain the request of exactly one operation',
    ]);
    assertRefused(
      await ask('Access_Plan', {
        Changes: [{ Roles_Delete: { Tenant: createId('tnt'), Slug: 'editor' } }],
      }),
      400,
      'invalid_argument',
      ["Changes[0].Roles_Delete must be in the plan's Tenant"],
    );
    assertRefused(
      await ask('Access_Plan', { Changes: [{ Roles_Delete: { Tenant, Slug: 'X' } }] }),
      400,
      'invalid_argument',
      [
        'Changes[0].Roles_Delete.Slug must be 2 to 63 lower-case letters, digits and "-", beginning with a letter',
      ],
    );
    assertRefused(await ask('Access_Plan', {}), 400, 'invalid_argument', ['Changes is required']);
  });

  test('Access_Plan and Grants_Add at once, in opposite orders, do not deadlock and do not fail', async () => {
    const grants = [person, other].map((user) => ({
      Grants_Add: { Grant: { Tenant, UserID: user?.id, Role: 'editor', Resource: 'a' } },
    }));
    const both = [grants, grants.toReversed()];
    const planning = Array.from({ length: 12 }, (_, index) =>
      ask('Access_Plan', { Changes: both[index % 2] }),
    );
    const granting = Array.from({ length: 12 }, (_, index) =>
      ask('Grants_Add', grants[index % 2]?.Grants_Add ?? {}),
    );
    for (const answer of await Promise.all([...planning, ...granting])) bodyOf(answer);
  });

  test('an audit entry names the grant that allowed the change, also when a group holds the grant', async () => {
    const call = async (operation: string, body: object, token = owner?.token) =>
      bodyOf(await stack.call(operation, body, token));
    await call('Roles_Save', {
      Role: { Tenant, Slug: 'steward', Permissions: ['iam.groups.write'] },
    });
    await call('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'steward' } });
    await call('Groups_Save', { Group: { Tenant, Path: 'guests' } }, person?.token);
    const { items } = await readList<{ ID: string; Role: string }>(
      stack,
      'GroupGrants_ListByTenant',
      { Tenant },
      String(owner?.token),
    );
    const entry = await eventually('the entry', async () => {
      const request = { Tenant, Filter: { Actions: ['group.created'], ActorIDs: [person?.id] } };
      return (
        await readList<{ Permission: string; GrantID: string }>(
          stack,
          'Audit_List',
          request,
          String(owner?.token),
        )
      ).items[0];
    });
    assert.deepEqual(
      [entry.Permission, entry.GrantID],
      ['iam.groups.write', items.find(({ Role }) => Role === 'steward')?.ID],
    );
  });
});
