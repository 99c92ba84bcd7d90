import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { eventsOf } from '../../support/store.ts';
import { type Role, type Roles, startRoles } from './role-calls.ts';

const builtIn = ['owner', 'admin', 'member', 'scim-directory', 'auditor', 'follower'];

describeOne('roles', 'one process', (topology) => {
  let suite: Roles;
  before(async () => {
    suite = await startRoles(topology);
  });
  after(() => suite?.stop());

  test('Roles_Save creates a role, keeps absent fields, and lists the changes in its events', async () => {
    const { stack, owner, Tenant, save, read } = suite;
    const fields = {
      Name: 'Scribe',
      Description: 'Writes',
      Permissions: ['app.notes.write', 'app.notes.read', 'app.notes.read'],
    };
    assert.deepEqual(
      bodyOf(await save({ Slug: 'scribe', ...fields, ID: 'x', System: true, CreatedAt: 7 })),
      {},
    );
    const created = await read('scribe');
    assert.match(created.ID, /^rol_/);
    assert.deepEqual(
      [created.Name, created.System, created.Permissions],
      ['Scribe', false, ['app.notes.write', 'app.notes.read']],
    );
    bodyOf(await save({ Slug: 'scribe', Description: 'Writes a lot' }));
    bodyOf(await save({ Slug: 'scribe' }));
    const changed = await read('scribe');
    assert.deepEqual(
      { ...changed, UpdatedAt: '' },
      { ...created, Description: 'Writes a lot', UpdatedAt: '' },
    );
    assert.ok((changed.UpdatedAt ?? '') > (created.UpdatedAt ?? ''));
    const events = (await eventsOf(stack, 'access', Tenant)).filter(({ type }) =>
      type.startsWith('role.'),
    );
    assert.deepEqual(
      events.map(({ type, previous }) => [type, previous]),
      [
        ['role.created', {}],
        ['role.updated', { Description: 'Writes' }],
      ],
    );
    assertRefused(
      await save({ Slug: 'scribe', Name: 'x' }, owner.token, { IfUpdatedAt: created.UpdatedAt }),
      400,
      'failed_precondition',
      ['the role was changed meanwhile'],
    );
  });

  test('Roles_Get and Roles_List show the built-in roles first, which cannot be changed', async () => {
    const { stack, owner, Tenant, save, read, remove } = suite;
    for (const Limit of [1, 3, 200]) {
      const slugs = (
        await readList<Role>(stack, 'Roles_List', { Tenant }, owner.token, Limit)
      ).items.map((role) => role.Slug);
      assert.deepEqual(slugs.slice(0, builtIn.length), builtIn);
    }
    for (const Slug of builtIn) {
      const role = await read(Slug);
      assert.deepEqual([role.System, role.CreatedAt], [true, undefined]);
      assertRefused(await save({ Slug, Permissions: [] }), 400, 'failed_precondition', [
        'a built-in role cannot be changed',
      ]);
      assertRefused(await remove(Slug), 400, 'failed_precondition', [
        'a built-in role cannot be changed',
      ]);
    }
    assertRefused(await save({ Slug: 'platform-owner' }), 400, 'failed_precondition', [
      'a built-in role cannot be changed',
    ]);
    assert.deepEqual(
      bodyOf(await stack.call('Roles_Get', { Tenant, Slug: 'missing' }, owner.token)),
      { Role: null },
    );
  });

  test('Roles_Save refuses malformed permissions, platform permissions and unknown iam permissions', async () => {
    const { stack, owner, Tenant, save } = suite;
    const rule =
      'Role.Permissions must be permissions such as app.reports.read, "*" only as the last segment';
    const platform =
      'Role.Permissions must not contain iam.platform or iam.internal permissions: they apply on the platform only';
    for (const bad of ['app', 'App.x', 'app.*.x', 'app..x', 'app.x.', 'a b.c', '**'])
      assertRefused(await save({ Slug: 'bad', Permissions: [bad] }), 400, 'invalid_argument', [
        rule,
      ]);
    for (const bad of ['iam.platform.users.read', 'iam.platform.*', 'iam.internal.deliver'])
      assertRefused(await save({ Slug: 'bad', Permissions: [bad] }), 400, 'invalid_argument', [
        platform,
      ]);
    assertRefused(
      await save({ Slug: 'bad', Permissions: ['iam.groups.wirte', 'app.ok.x', 'iam.nothing.*'] }),
      400,
      'invalid_argument',
      [
        'Role.Permissions iam.groups.wirte is not a built-in permission',
        'Role.Permissions iam.nothing.* is not a built-in permission',
      ],
    );
    const many = Array.from({ length: 201 }, (_, index) => `app.x.p${index}`);
    assertRefused(await save({ Slug: 'bad', Permissions: many }), 400, 'invalid_argument', [
      'Role.Permissions must be at most 200 permissions',
    ]);
    assert.deepEqual(bodyOf(await stack.call('Roles_Get', { Tenant, Slug: 'bad' }, owner.token)), {
      Role: null,
    });
  });

  test('Roles_Save adds no permission to a role that the caller could not grant', async () => {
    const { admin, save } = suite;
    const lacking = (permission: string) => [
      `this would grant ${permission}, which the caller does not hold`,
    ];
    assertRefused(
      await save({ Slug: 'sneaky', Permissions: ['iam.tenant.delete'] }, admin.token),
      403,
      'permission_denied',
      lacking('iam.tenant.delete'),
    );
    assertRefused(
      await save({ Slug: 'sneaky', Permissions: ['iam.*'] }, admin.token),
      403,
      'permission_denied',
      lacking('iam.*'),
    );
    assertRefused(
      await save({ Slug: 'sneaky', Permissions: ['*'] }, admin.token),
      403,
      'permission_denied',
      lacking('*'),
    );
    assertRefused(
      await save({ Slug: 'sneaky', Permissions: ['app.billing.pay'] }, admin.token),
      403,
      'permission_denied',
      lacking('app.billing.pay'),
    );
    // An owner grants permissions of applications without holding them.
    bodyOf(await save({ Slug: 'payer', Permissions: ['app.billing.pay', 'iam.groups.read'] }));
    // Permissions already in the role need no check, and removing one grants nothing.
    bodyOf(
      await save(
        {
          Slug: 'payer',
          Name: 'Payer',
          Permissions: ['app.billing.pay', 'iam.groups.read', 'iam.groups.write'],
        },
        admin.token,
      ),
    );
    bodyOf(await save({ Slug: 'payer', Permissions: ['iam.groups.read'] }, admin.token));
    assertRefused(
      await save({ Slug: 'payer', Permissions: ['app.billing.pay'] }, admin.token),
      403,
      'permission_denied',
      lacking('app.billing.pay'),
    );
  });

  test('Roles_Save takes effect with the reply for every holder of the role', async () => {
    const { stack, owner, Tenant, save } = suite;
    const reader = await signUp(stack);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: reader.id }, stack.platformKey));
    bodyOf(await save({ Slug: 'watch', Permissions: [] }));
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Tenant, UserID: reader.id, Role: 'watch' } },
        owner.token,
      ),
    );
    const list = () => stack.call('Webhooks_ListEndpoints', { Tenant }, reader.token);
    assert.equal((await list()).status, 403);
    for (let round = 0; round < 3; round++) {
      bodyOf(await save({ Slug: 'watch', Permissions: ['iam.webhooks.read'] }));
      assert.equal((await list()).status, 200);
      bodyOf(await save({ Slug: 'watch', Permissions: [] }));
      assert.equal((await list()).status, 403);
    }
  });

  test('Roles_ListPermissions lists the permissions that a tenant’s role can have, and for the platform its own', async () => {
    const { stack, owner, Tenant } = suite;
    type PermissionRecord = { Name: string; Description: string; Operations: string[] };
    const list = async (request: object, token: string, limit = 200) =>
      (await readList<PermissionRecord>(stack, 'Roles_ListPermissions', request, token, limit))
        .items;
    const ofTenant = await list({ Tenant }, owner.token);
    const names = ofTenant.map(({ Name }) => Name);
    assert.ok(names.length > 25 && new Set(names).size === names.length);
    assert.deepEqual(
      names.filter((name) => /^iam\.(platform|internal)\./.test(name)),
      [],
    );
    for (const { Name, Description, Operations } of ofTenant) {
      assert.match(Description, /^[A-Z].{10,150}\.$/, Name);
      // Followers call no operation (docs/follow.md).
      assert.ok(Operations.length > 0 || Name === 'iam.rights.follow', Name);
    }
    const byName = new Map(ofTenant.map((permission) => [permission.Name, permission]));
    assert.deepEqual(byName.get('iam.tenant.delete')?.Operations, ['Tenants_Delete']);
    assert.ok(byName.get('iam.webhooks.write')?.Operations.includes('Webhooks_UpdateEndpoint'));
    assert.deepEqual(await list({ Tenant }, owner.token, 7), ofTenant);
    // Each of them can be in a role.
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: 'everything', Permissions: names } },
        owner.token,
      ),
    );
    bodyOf(await stack.call('Roles_Delete', { Tenant, Slug: 'everything' }, owner.token));

    const ofPlatform = (await list({ Platform: true }, stack.platformKey)).map(({ Name }) => Name);
    assert.ok(
      ofPlatform.includes('iam.platform.grants.write') &&
        ofPlatform.every((name) => name.startsWith('iam.platform.')),
    );
    assertRefused(
      await stack.call('Roles_ListPermissions', { Platform: true }, owner.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call('Roles_ListPermissions', {}, stack.platformKey),
      400,
      'invalid_argument',
      ['Tenant is required'],
    );
    assertRefused(
      await stack.call('Roles_ListPermissions', { Tenant }, (await signUp(stack)).token),
      403,
      'permission_denied',
    );
  });
});
