import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type User = {
  ID: string;
  Email: string;
  Name: string;
  Status: string;
  Metadata: object;
  ExternalID: string;
  UpdatedAt: string;
};

const missing = 'usr_01hzzzzzzzzzzzzzzzzzzzzzzz';

describeOne('users', 'five processes', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  let carol: Person;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
    [ada, bob, carol] = await Promise.all([signUp(stack), signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  const platform = (operation: string, body: object) =>
    stack.call(operation, body, stack.platformKey);
  const add = async (tenant: string, { id }: { id: string }) =>
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant, UserID: id }));
  const eventsAbout = (id: string) =>
    rowsOf<{ type: string }>(
      stack,
      `select type from identity.outbox where event::jsonb->'data'->>'ID' = $1 order by created_at, id`,
      [id],
    );
  const typesAbout = async (id: string) => (await eventsAbout(id)).map(({ type }) => type);
  const provision = async (): Promise<User> =>
    recordIn(
      await platform('Users_Create', { User: { Email: newAddress() }, Password: password }),
      'User',
    ) as User;

  test('Users_List pages through all users, for the platform only', async () => {
    const { items, sizes } = await readList<User>(stack, 'Users_List', {}, stack.platformKey, 2);
    assert.ok(sizes.slice(0, -1).every((size) => size === 2));
    const ids = items.map(({ ID }) => ID);
    assert.deepEqual(ids, [...ids].sort());
    for (const { id } of [ada, bob, carol]) assert.ok(ids.includes(id));
    assertRefused(await stack.call('Users_List', {}, ada.token), 403, 'permission_denied');
    assertRefused(await stack.call('Users_List', {}), 401, 'unauthenticated');
    const { NextCursor } = await readPage(
      stack,
      'Users_List',
      { Page: { Limit: 1 } },
      stack.platformKey,
    );
    const tenant = await createTenant(stack, ada.token);
    assertRefused(
      await platform('Users_ListByTenant', { Tenant: tenant, Page: { Cursor: NextCursor } }),
      400,
      'invalid_argument',
      ['Page.Cursor is not a cursor of this list'],
    );
  });

  test('Users_ListByTenant pages through the members, and leaves no gaps for deleted users', async () => {
    const tenant = await createTenant(stack, ada.token);
    const users = await Promise.all(Array.from({ length: 6 }, provision));
    for (const { ID } of users) await add(tenant, { id: ID });
    const deletedUsers = Array.from({ length: 4 }, () => createId('usr'));
    for (const id of deletedUsers)
      await rowsOf(
        stack,
        `insert into access.tenant_member (tenant, user_id, status, source, joined_at) values ($1, $2, 'active', 'admin', now())`,
        [tenant, id],
      );
    const expected = [ada.id, ...users.map(({ ID }) => ID)].sort();
    const { items, sizes } = await readList<User>(
      stack,
      'Users_ListByTenant',
      { Tenant: tenant },
      ada.token,
      3,
    );
    assert.deepEqual(
      items.map(({ ID }) => ID),
      expected,
    );
    assert.deepEqual(sizes, [3, 3, 1]);
    assert.deepEqual(
      (await readList<User>(stack, 'Users_ListByTenant', { Tenant: tenant }, ada.token, 7)).sizes,
      [7],
    );
    assertRefused(
      await stack.call('Users_ListByTenant', { Tenant: tenant }, bob.token),
      403,
      'permission_denied',
    );
    assertRefused(
      await stack.call('Users_ListByTenant', { Tenant: createId('tnt') }, bob.token),
      403,
      'permission_denied',
    );
    assertRefused(await stack.call('Users_ListByTenant', {}, ada.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
  });

  test('Users_Get shows a user to itself, to callers who may read users in its tenants, and to the platform', async () => {
    const tenant = await createTenant(stack, ada.token);
    await add(tenant, bob);
    const dan = await signUp(stack);
    const get = (id: string, token: string) => stack.call('Users_Get', { UserID: id }, token);
    for (const token of [bob.token, ada.token, stack.platformKey])
      assert.equal((recordIn(await get(bob.id, token), 'User') as User).Email, bob.email);
    // Ada may read users, but not this one; Dan may read none.
    const foreign = await get(dan.id, ada.token);
    assertRefused(foreign, 400, 'not_found');
    const { RequestID: _missing, ...rest } = (await get(missing, ada.token)).body;
    const { RequestID: _foreign, ...same } = foreign.body;
    assert.deepEqual(rest, same);
    assertRefused(await get(bob.id, dan.token), 403, 'permission_denied');
    assertRefused(await get(missing, dan.token), 403, 'permission_denied');
    assertRefused(await get(missing, stack.platformKey), 400, 'not_found');
    assertRefused(await get('', ada.token), 400, 'invalid_argument', ['UserID is required']);
  });

  test('HasPassword and the last sign-in are shown to the user and to callers who manage users', async () => {
    const tenant = await createTenant(stack, ada.token);
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant, UserID: bob.id }));
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant, UserID: carol.id }));
    await signUp(stack);
    type Facts = { HasPassword: boolean; LastLoginAt?: string };
    const factsOf = async (caller: string): Promise<boolean[]> => {
      const found = [
        recordIn(await stack.call('Users_Get', { UserID: carol.id }, caller), 'User'),
        recordIn(await stack.call('Users_GetByEmail', { Email: carol.email }, caller), 'User'),
        (await readList<User>(stack, 'Users_ListByTenant', { Tenant: tenant }, caller)).items.find(
          ({ ID }) => ID === carol.id,
        ),
      ] as Facts[];
      return found.flatMap(({ HasPassword, LastLoginAt }) => [
        HasPassword,
        LastLoginAt !== undefined,
      ]);
    };
    const [all, none] = [
      Array.from({ length: 6 }, () => true),
      Array.from({ length: 6 }, () => false),
    ];
    assert.deepEqual(await factsOf(bob.token), none, 'a member');
    assert.deepEqual(await factsOf(ada.token), all, 'an owner');
    assert.deepEqual(await factsOf(carol.token), all, 'the user');
    const reader = await createBot(stack, tenant, ada.token);
    bodyOf(
      await stack.call(
        'BotGrants_Add',
        { Grant: { Tenant: tenant, Bot: reader.ID, Role: 'member' } },
        ada.token,
      ),
    );
    const { Secret } = bodyOf(
      await stack.call('BotKeys_Create', { Tenant: tenant, Bot: reader.ID, Name: 'a' }, ada.token),
    );
    assert.deepEqual(await factsOf(String(Secret)), none, 'a bot that may read');
    // iam.users.write in a tenant of one's own shows nothing about the users of this tenant.
    await createTenant(stack, bob.token);
    assert.deepEqual(await factsOf(bob.token), none, 'an owner elsewhere');
    const listed = (
      await readList<User & Facts>(stack, 'Users_List', {}, stack.platformKey)
    ).items.find(({ ID }) => ID === carol.id);
    assert.deepEqual([listed?.HasPassword, listed?.LastLoginAt !== undefined], [true, true]);
  });

  test('Users_Update changes the sent fields, never the address or the password, and repeats without an event', async () => {
    const dan = await signUp(stack);
    const update = (user: object, token: string) =>
      stack.call('Users_Update', { User: user }, token);
    const changed = recordIn(
      await update({ ID: dan.id, Name: 'Dan', Metadata: { a: '1' } }, dan.token),
      'User',
    ) as User;
    assert.deepEqual([changed.Name, changed.Metadata], ['Dan', { a: '1' }]);
    // The record as it was read changes nothing, including the fields that the service sets.
    const again = recordIn(
      await update({ ...changed, Status: 'disabled', HasPassword: [] }, dan.token),
      'User',
    );
    assert.deepEqual(again, changed);
    const address = 'User.Email must be the stored address: Account_ChangeEmail changes it';
    assertRefused(
      await update({ ...changed, Email: 'x@example.com' }, dan.token),
      400,
      'invalid_argument',
      [address],
    );
    assertRefused(
      await update({ ...changed, Password: 'another password' }, dan.token),
      400,
      'invalid_argument',
      ['User.Password is not a known field'],
    );
    assert.equal(
      (recordIn(await update({ ID: dan.id, GivenName: 'D' }, stack.platformKey), 'User') as User)
        .Name,
      'Dan',
    );
    assert.deepEqual((await typesAbout(dan.id)).slice(-2), ['user.updated', 'user.updated']);
    assert.equal(
      (await stack.call('Account_Login', { Email: dan.email, Password: password })).status,
      200,
    );
    assertRefused(
      await update({ ID: dan.id, ExternalID: 'hr-1' }, dan.token),
      403,
      'permission_denied',
    );
    assert.equal(
      (
        recordIn(
          await update({ ID: dan.id, ExternalID: 'hr-1' }, stack.platformKey),
          'User',
        ) as User
      ).ExternalID,
      'hr-1',
    );
    for (const id of [bob.id, missing])
      assertRefused(await update({ ID: id, Name: 'x' }, dan.token), 403, 'permission_denied');
    assertRefused(await update({ ID: missing, Name: 'x' }, stack.platformKey), 400, 'not_found');
    assertRefused(
      await update({ ID: dan.id, Name: 'x'.repeat(129) }, dan.token),
      400,
      'invalid_argument',
      ['User.Name must be at most 128 characters'],
    );
    assertRefused(await stack.call('Users_Update', {}, dan.token), 400, 'invalid_argument', [
      'User.ID is required',
    ]);
  });

  test('Users_Disable shuts a user out with its reply, and Users_Enable restores the user’s grants', async () => {
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
    const held = async () =>
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
    const allowed = async () => (await held()).map(({ Allowed }) => Allowed);
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
    bodyOf(await stack.call('Users_Delete', { UserID: dan.id }, dan.token));
    await eventually(
      'the owner’s grant to be deleted',
      async () => (await countOf(stack, 'access.grant_entry where subject = $1', [dan.id])) === 0,
    );
  });

  test('of two owners who delete themselves at once, one stays', async () => {
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
      const left = () =>
        countOf(stack, `access.grant_entry where tenant = $1 and role = 'owner'`, [tenant]);
      await eventually('one owner', async () => (await left()) === 1);
    }
  });

  test('Users_Delete during an addition or a tenant creation leaves nothing behind', async () => {
    for (let round = 0; round < 6; round++) {
      const dan = await signUp(stack);
      const made = await platform('Tenants_Create', { Tenant: { Name: 'Acme' }, OwnerID: ada.id });
      const adding = platform('TenantMembers_Add', {
        Tenant: (recordIn(made, 'Tenant') as User).ID,
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
