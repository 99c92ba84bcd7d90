import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeBoth, type Stack } from '../../support/harness.ts';
import { newAddress, password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, eventsOf } from '../../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Tenant = {
  ID: string;
  Slug: string;
  Name: string;
  Status: string;
  Settings: Record<string, unknown>;
  Metadata: object;
  UpdatedAt: string;
};

describeBoth('changes of tenants', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const platform = (operation: string, body: object) =>
    stack.call(operation, body, stack.platformKey);
  const update = (tenant: object, token = ada.token, rest: object = {}) =>
    stack.call('Tenants_Update', { Tenant: tenant, ...rest }, token);
  const read = async ({ ID }: Tenant) =>
    recordIn(await platform('Tenants_Get', { Tenant: ID }), 'Tenant') as Tenant;
  const statusOf = async (tenant: Tenant) => (await read(tenant)).Status;
  const lastEvent = async ({ ID }: Tenant) => (await eventsOf(stack, 'access', ID)).at(-1);

  /** A tenant of Ada's with Bob as a member. */
  async function tenantWith(role: string): Promise<Tenant> {
    const tenant = recordIn(
      await platform('Tenants_Create', { Tenant: { Name: 'Acme' }, OwnerID: ada.id }),
      'Tenant',
    ) as Tenant;
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant.ID, UserID: bob.id }));
    if (role !== 'member')
      bodyOf(
        await platform('Grants_Add', { Grant: { Tenant: tenant.ID, UserID: bob.id, Role: role } }),
      );
    return tenant;
  }

  test('Tenants_Update changes the sent fields, keeps the others, and repeats without an event', async () => {
    const tenant = await tenantWith('member');
    const slug = `new-${tenant.Slug}`;
    const changed = recordIn(
      await update({
        ID: tenant.ID,
        Slug: slug,
        Settings: { MaxBotKeyDays: 7 },
        Status: 'suspended',
      }),
      'Tenant',
    ) as Tenant;
    assert.deepEqual(
      [changed.Slug, changed.Name, changed.Status, changed.Settings['MaxBotKeyDays']],
      [slug, 'Acme', 'active', 7],
    );
    const event = await lastEvent(tenant);
    assert.deepEqual(
      [event?.type, event?.data, Object.keys(event?.previous ?? {})],
      ['tenant.updated', changed, ['Slug', 'Settings']],
    );
    const more = recordIn(
      await update({
        ID: tenant.ID,
        Settings: { RequireSso: false, InviteDomains: ['example.com'] },
        Metadata: { a: '1' },
      }),
      'Tenant',
    ) as Tenant;
    assert.deepEqual(
      [more.Settings['MaxBotKeyDays'], more.Settings['InviteDomains'], more.Metadata],
      [7, ['example.com'], { a: '1' }],
    );
    // The record as it was read changes nothing.
    const events = (await eventsOf(stack, 'access', tenant.ID)).length;
    assert.deepEqual(recordIn(await update(more), 'Tenant'), more);
    assert.equal((await eventsOf(stack, 'access', tenant.ID)).length, events);
    assert.deepEqual(await read(tenant), more);
    assert.equal(
      (
        recordIn(
          await platform('Tenants_Update', { Tenant: { ID: tenant.ID, Name: 'Acme Inc' } }),
          'Tenant',
        ) as Tenant
      ).Slug,
      slug,
    );
  });

  test('Tenants_Update checks its rules and IfUpdatedAt', async () => {
    const [tenant, other] = await Promise.all([tenantWith('member'), tenantWith('member')]);
    const { ID } = tenant;
    assertRefused(await update({ ID, Slug: other.Slug }), 400, 'already_exists', [
      'Tenant.Slug is taken',
    ]);
    assertRefused(await update({ ID, Name: '', Slug: 'Not A Slug' }), 400, 'invalid_argument');
    assertRefused(await update({ Name: 'a' }), 400, 'invalid_argument', ['Tenant.ID is required']);
    const before = await read(tenant);
    bodyOf(await update({ ID, Name: 'Second' }, ada.token, { IfUpdatedAt: before.UpdatedAt }));
    assertRefused(
      await update({ ID, Name: 'Third' }, ada.token, { IfUpdatedAt: before.UpdatedAt }),
      400,
      'failed_precondition',
    );
    assert.equal((await read(tenant)).Name, 'Second');
    // Only one of many calls with the same IfUpdatedAt succeeds.
    const { UpdatedAt } = await read(tenant);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        update({ ID, Name: `Race ${index}` }, ada.token, { IfUpdatedAt: UpdatedAt }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const id of [ID, createId('tnt')])
      assertRefused(await update({ ID: id, Name: 'x' }, bob.token), 403, 'permission_denied');
    assertRefused(
      await platform('Tenants_Update', { Tenant: { ID: createId('tnt'), Name: 'x' } }),
      400,
      'not_found',
    );
  });

  test('Tenants_Update takes a default role that exists, is not owner, and that the caller could grant', async () => {
    const tenant = await tenantWith('admin');
    const { ID } = tenant;
    const setRole = (DefaultRole: string, token = ada.token) =>
      update({ ID, Settings: { DefaultRole } }, token);
    assertRefused(await setRole('owner'), 400, 'invalid_argument', [
      'Tenant.Settings.DefaultRole must not be owner',
    ]);
    assertRefused(await setRole('no-such-role'), 400, 'not_found');
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant: ID, Slug: 'editor', Name: 'Editor', Permissions: ['app.docs.write'] } },
        ada.token,
      ),
    );
    // Bob is an admin and not an owner, so he cannot grant permissions of applications.
    assertRefused(await setRole('editor', bob.token), 403, 'permission_denied');
    bodyOf(await setRole('auditor', bob.token));
    bodyOf(await setRole('editor'));
    const carol = recordIn(
      await platform('Users_Create', { User: { Email: newAddress() }, Password: password }),
      'User',
    ) as { ID: string };
    bodyOf(
      await stack.call('TenantMembers_Add', { Tenant: ID, UserID: carol.ID }, stack.platformKey),
    );
    assert.equal(
      await countOf(
        stack,
        `access.grant_entry where tenant = $1 and subject = $2 and role = 'editor'`,
        [ID, carol.ID],
      ),
      1,
    );
    assertRefused(
      await stack.call('Roles_Delete', { Tenant: ID, Slug: 'editor' }, ada.token),
      400,
      'failed_precondition',
    );
    bodyOf(await setRole(''));
  });

  test('Tenants_Suspend denies everything with its reply, and Tenants_Resume restores it', async () => {
    const tenant = await tenantWith('member');
    const list = (token: string) => stack.call('Groups_List', { Tenant: tenant.ID }, token);
    for (const token of [ada.token, bob.token, stack.platformKey]) bodyOf(await list(token));
    for (const operation of ['Tenants_Suspend', 'Tenants_Resume', 'Tenants_Restore'])
      for (const id of [tenant.ID, createId('tnt')])
        assertRefused(
          await stack.call(operation, { Tenant: id }, ada.token),
          403,
          'permission_denied',
        );

    const suspended = recordIn(
      await platform('Tenants_Suspend', { Tenant: tenant.ID }),
      'Tenant',
    ) as Tenant;
    for (const token of [ada.token, bob.token, stack.platformKey])
      assertRefused(await list(token), 403, 'permission_denied');
    assert.equal(suspended.Status, 'suspended');
    assert.deepEqual((await lastEvent(tenant))?.previous, { Status: 'active' });
    assert.deepEqual(
      recordIn(await platform('Tenants_Suspend', { Tenant: tenant.ID }), 'Tenant'),
      suspended,
    );
    assertRefused(
      await stack.call('Tenants_Delete', { Tenant: tenant.ID }, ada.token),
      403,
      'permission_denied',
    );
    assertRefused(await platform('Tenants_Restore', { Tenant: createId('tnt') }), 400, 'not_found');

    assert.equal(
      (recordIn(await platform('Tenants_Resume', { Tenant: tenant.ID }), 'Tenant') as Tenant)
        .Status,
      'active',
    );
    for (const token of [ada.token, bob.token]) bodyOf(await list(token));
  });

  test('Account_Get names the suspended tenants of a member apart from the others', async () => {
    const member = await signUp(stack);
    const [open, closed] = [await tenantWith('member'), await tenantWith('member')];
    for (const { ID } of [open, closed])
      bodyOf(await platform('TenantMembers_Add', { Tenant: ID, UserID: member.id }));
    const listed = async (token: string) => {
      const { Tenants, SuspendedTenants } = bodyOf(await stack.call('Account_Get', {}, token)) as {
        Tenants: Tenant[];
        SuspendedTenants: Tenant[];
      };
      return [Tenants.map(({ ID }) => ID), SuspendedTenants];
    };
    bodyOf(await platform('Tenants_Suspend', { Tenant: closed.ID }));
    const { ID, Slug, Name } = closed;
    assert.deepEqual(await listed(member.token), [[open.ID], [{ ID, Slug, Name }]]);
    // Strangers, disabled members, and members of a tenant that is being deleted.
    assert.deepEqual(await listed((await signUp(stack)).token), [[], []]);
    bodyOf(await platform('Tenants_Resume', { Tenant: ID }));
    bodyOf(await platform('TenantMembers_Disable', { Tenant: ID, UserID: member.id }));
    bodyOf(await platform('Tenants_Suspend', { Tenant: ID }));
    bodyOf(await platform('Tenants_Delete', { Tenant: open.ID }));
    assert.deepEqual(await listed(member.token), [[], []]);
  });

  test('Tenants_Delete closes a tenant with its reply, for its owners and the platform, and Tenants_Restore opens it again', async () => {
    const tenant = await tenantWith('admin');
    const list = (token: string) => stack.call('Groups_List', { Tenant: tenant.ID }, token);
    assertRefused(
      await stack.call('Tenants_Delete', { Tenant: tenant.ID }, bob.token),
      403,
      'permission_denied',
    );
    for (const token of [ada.token, bob.token]) bodyOf(await list(token));
    assert.deepEqual(
      bodyOf(await stack.call('Tenants_Delete', { Tenant: tenant.ID }, ada.token)),
      {},
    );
    for (const token of [ada.token, bob.token, stack.platformKey])
      assertRefused(await list(token), 403, 'permission_denied');
    const event = await lastEvent(tenant);
    assert.deepEqual(
      [event?.type, event?.data['Status'], event?.actor],
      ['tenant.deleted', 'deleting', { type: 'user', id: ada.id }],
    );
    const mine = bodyOf(await stack.call('Account_Get', {}, ada.token))['Tenants'] as Array<{
      ID: string;
    }>;
    assert.ok(!mine.some(({ ID }) => ID === tenant.ID));
    assertRefused(
      await stack.call('Tenants_Delete', { Tenant: tenant.ID }, ada.token),
      403,
      'permission_denied',
    );
    assert.deepEqual(bodyOf(await platform('Tenants_Delete', { Tenant: tenant.ID })), {});
    assert.deepEqual(bodyOf(await platform('Tenants_Delete', { Tenant: createId('tnt') })), {});
    for (const operation of ['Tenants_Suspend', 'Tenants_Resume'])
      assertRefused(await platform(operation, { Tenant: tenant.ID }), 400, 'failed_precondition');
    assertRefused(
      await platform('Tenants_Update', { Tenant: { ID: tenant.ID, Name: 'x' } }),
      400,
      'failed_precondition',
    );
    // The slug is not free before the tenant is purged.
    assertRefused(
      await stack.call('Tenants_Create', { Tenant: { Name: 'x', Slug: tenant.Slug } }, bob.token),
      400,
      'already_exists',
    );

    bodyOf(await platform('Tenants_Restore', { Tenant: tenant.ID }));
    assert.equal(await statusOf(tenant), 'active');
    for (const token of [ada.token, bob.token]) bodyOf(await list(token));
    assert.equal(
      await countOf(stack, 'access.tenant where id = $1 and purge_at is null', [tenant.ID]),
      1,
    );
  });

  test('Users_Delete succeeds after the user has deleted all tenants of their own', async () => {
    const dan = await signUp(stack);
    const tenant = recordIn(
      await stack.call('Tenants_Create', { Tenant: { Name: 'Dan’s' } }, dan.token),
      'Tenant',
    ) as Tenant;
    assertRefused(
      await stack.call('Users_Delete', { UserID: dan.id }, dan.token),
      400,
      'failed_precondition',
    );
    bodyOf(await stack.call('Tenants_Delete', { Tenant: tenant.ID }, dan.token));
    bodyOf(await stack.call('Users_Delete', { UserID: dan.id }, dan.token));
  });
});
