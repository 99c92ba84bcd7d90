import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn, retryWhileBusy } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { createTenant, password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { missing, startUsers, type User, type Users } from './user-calls.ts';

describeOne('disabled and deleted users', 'five processes', (topology) => {
  let suite: Users;
  before(async () => {
    suite = await startUsers(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('Users_Disable shuts a user out with its reply, and Users_Enable restores the user’s grants', async () => {
    const { stack, ada, platform, add, typesAbout } = suite;
    const tenant = await createTenant(stack, ada.token);
    const dan = await signUp(stack);
    await add(tenant, dan);
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'eng' } }, ada.token));
    bodyOf(
      await stack.call(
        'Groups_AddMember',
        { Tenant: tenant, Group: 'eng', UserID: dan.id },
        ada.token,
      ),
    );
    bodyOf(
      await stack.call(
        'GroupGrants_Add',
        { Grant: { Tenant: tenant, Group: 'eng', Role: 'auditor' } },
        ada.token,
      ),
    );
    const checks = async () =>
      bodyOf(
        await stack.call(
          'Access_Check',
          {
            Tenant: tenant,
            Subject: dan.id,
            Checks: [{ Permission: 'iam.groups.read' }, { Permission: 'iam.audit.read' }],
          },
          ada.token,
        ),
      )['Results'] as Array<{ Allowed: boolean }>;
    const allowed = async () => (await checks()).map(({ Allowed }) => Allowed);
    assert.deepEqual(await allowed(), [true, true]);
    bodyOf(await stack.call('Groups_List', { Tenant: tenant }, dan.token));
    for (const token of [ada.token, dan.token])
      assertRefused(
        await stack.call('Users_Disable', { UserID: dan.id }, token),
        403,
        'permission_denied',
      );

    // The gateway has cached the session and its rights.
    const disabled = recordIn(await platform('Users_Disable', { UserID: dan.id }), 'User') as User;
    assertRefused(
      await stack.call('Groups_List', { Tenant: tenant }, dan.token),
      401,
      'unauthenticated',
    );
    assert.deepEqual(await allowed(), [false, false]);
    assert.equal(disabled.Status, 'disabled');
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [dan.id]), 0);
    assertRefused(
      await stack.call('Account_Login', { Email: dan.email, Password: password }),
      401,
      'unauthenticated',
    );
    assert.deepEqual(
      recordIn(await platform('Users_Disable', { UserID: dan.id }), 'User'),
      disabled,
    );
    assert.deepEqual(
      (await typesAbout(dan.id)).filter((type) => type === 'user.disabled').length,
      1,
    );

    assert.equal(
      (recordIn(await platform('Users_Enable', { UserID: dan.id }), 'User') as User).Status,
      'active',
    );
    bodyOf(await platform('Users_Enable', { UserID: dan.id }));
    assert.deepEqual(await allowed(), [true, true]);
    assertRefused(
      await stack.call('Groups_List', { Tenant: tenant }, dan.token),
      401,
      'unauthenticated',
    );
    const { body } = await stack.call('Account_Login', { Email: dan.email, Password: password });
    bodyOf(await stack.call('Groups_List', { Tenant: tenant }, String(body['Token'])));
    for (const operation of ['Users_Disable', 'Users_Enable'])
      assertRefused(await platform(operation, { UserID: missing }), 400, 'not_found');
  });

  test('access applies identity’s state of a user at any time and in any order of events', async () => {
    const { stack, ada, platform, add } = suite;
    const tenant = await createTenant(stack, ada.token);
    const dan = await signUp(stack);
    await add(tenant, dan);
    for (const operation of ['Users_Disable', 'Users_Enable', 'Users_Disable', 'Users_Enable'])
      bodyOf(await platform(operation, { UserID: dan.id }));
    // The events arrive last, and all of them are outdated.
    await eventually(
      'the relay',
      async () => (await countOf(stack, 'identity.outbox where published_at is null')) === 0,
    );
    const check = async () =>
      bodyOf(
        await stack.call(
          'Access_Check',
          { Tenant: tenant, Subject: dan.id, Permission: 'iam.groups.read' },
          ada.token,
        ),
      )['Allowed'];
    for (let look = 0; look < 10; look++) assert.equal(await check(), true);
  });

  test('Users_Delete by the user or the platform ends all sessions, memberships and grants', async () => {
    const { stack, ada, platform, add, typesAbout } = suite;
    const tenant = await createTenant(stack, ada.token);
    for (const by of ['itself', 'the platform']) {
      const dan = await signUp(stack);
      await add(tenant, dan);
      bodyOf(await stack.call('Account_RequestPasswordReset', { Email: dan.email }));
      assertRefused(
        await stack.call('Users_Delete', { UserID: dan.id }, ada.token),
        403,
        'permission_denied',
      );
      bodyOf(
        await stack.call(
          'Users_Delete',
          { UserID: dan.id },
          by === 'itself' ? dan.token : stack.platformKey,
        ),
      );
      assertRefused(await stack.call('Account_Get', {}, dan.token), 401, 'unauthenticated');
      for (const table of ['session', 'reset_token', 'email_change', 'registration'])
        assert.equal(await countOf(stack, `identity.${table} where user_id = $1`, [dan.id]), 0);
      assert.equal(await countOf(stack, 'identity.user_account where id = $1', [dan.id]), 0);
      assert.equal((await typesAbout(dan.id)).at(-1), 'user.deleted');
      for (const table of ['tenant_member where user_id', 'grant_entry where subject'])
        await eventually(
          table,
          async () => (await countOf(stack, `access.${table} = $1`, [dan.id])) === 0,
        );
      bodyOf(await platform('Users_Delete', { UserID: dan.id }));
      assertRefused(
        await stack.call('Users_Get', { UserID: dan.id }, stack.platformKey),
        400,
        'not_found',
      );
      assertRefused(
        await stack.call('TenantMembers_Add', { Tenant: tenant, UserID: dan.id }, ada.token),
        400,
        'not_found',
      );
      // The address is free again, for another user.
      assert.notEqual(
        (recordIn(await platform('Users_Create', { User: { Email: dan.email } }), 'User') as User)
          .ID,
        dan.id,
      );
    }
    const removed = await rowsOf(
      stack,
      `select 1 from access.outbox where for_tenant = $1 and type = 'tenant.member_removed'`,
      [tenant],
    );
    assert.equal(removed.length, 2);
  });

  test('Users_Delete refuses the only owner of a tenant, and names the tenant', async () => {
    const { stack, bob, add } = suite;
    const dan = await signUp(stack);
    const tenant = await createTenant(stack, dan.token, 'Dan’s shop');
    for (const token of [dan.token, stack.platformKey])
      assertRefused(
        await stack.call('Users_Delete', { UserID: dan.id }, token),
        400,
        'failed_precondition',
        [`the user is the only owner of Dan’s shop (${tenant})`],
      );
    bodyOf(await stack.call('Account_Get', {}, dan.token));
    await add(tenant, bob);
    // A temporary owner does not count.
    const grant = { Tenant: tenant, UserID: bob.id, Role: 'owner' };
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { ...grant, ExpiresAt: new Date(Date.now() + 3_600_000).toISOString() } },
        dan.token,
      ),
    );
    assertRefused(
      await stack.call('Users_Delete', { UserID: dan.id }, dan.token),
      400,
      'failed_precondition',
    );
    bodyOf(await stack.call('Grants_Add', { Grant: grant }, dan.token));
    // Nor does an owner who has not accepted.
    assertRefused(
      await stack.call('Users_Delete', { UserID: dan.id }, dan.token),
      400,
      'failed_precondition',
    );
    bodyOf(await stack.call('TenantMembers_Accept', { Tenant: tenant }, bob.token));
    bodyOf(await stack.call('Users_Delete', { UserID: dan.id }, dan.token));
    await eventually(
      'the owner’s grant to be deleted',
      async () => (await countOf(stack, 'access.grant_entry where subject = $1', [dan.id])) === 0,
    );
  });

  test('of two owners who delete themselves at once, one stays', async () => {
    const { stack, add } = suite;
    for (let round = 0; round < 4; round++) {
      const owners = await Promise.all([signUp(stack), signUp(stack)]);
      const [first, second] = owners;
      const tenant = await createTenant(stack, first.token);
      await add(tenant, second);
      bodyOf(
        await stack.call(
          'Grants_Add',
          { Grant: { Tenant: tenant, UserID: second.id, Role: 'owner' } },
          first.token,
        ),
      );
      const answers = await Promise.all(
        owners.map(({ id, token }) =>
          retryWhileBusy(() => stack.call('Users_Delete', { UserID: id }, token)),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => `${status}`).sort(), ['200', '400']);
      const countOwners = () =>
        countOf(stack, `access.grant_entry where tenant = $1 and role = 'owner'`, [tenant]);
      await eventually('one owner', async () => (await countOwners()) === 1);
    }
  });

  test('Users_Delete during an addition or a tenant creation leaves nothing behind', async () => {
    const { stack, ada, platform } = suite;
    for (let round = 0; round < 6; round++) {
      const dan = await signUp(stack);
      const answer = await platform('Tenants_Create', {
        Tenant: { Name: 'Acme' },
        OwnerID: ada.id,
      });
      const adding = platform('TenantMembers_Add', {
        Tenant: (recordIn(answer, 'Tenant') as User).ID,
        UserID: dan.id,
      });
      const making = stack.call('Tenants_Create', { Tenant: { Name: 'Late' } }, dan.token);
      const [deleted] = await Promise.all([
        stack.call('Users_Delete', { UserID: dan.id }, dan.token),
        making,
        adding,
      ]);
      if (deleted.status !== 200) {
        assertRefused(deleted, 400, 'failed_precondition');
        continue;
      }
      await eventually('all records of the user to be deleted', async () => {
        const [members, grants] = await Promise.all([
          countOf(stack, 'access.tenant_member where user_id = $1', [dan.id]),
          countOf(stack, 'access.grant_entry where subject = $1', [dan.id]),
        ]);
        return members + grants === 0;
      });
      assert.equal(await countOf(stack, 'access.tenant where created_by = $1', [dan.id]), 0);
    }
  });
});
