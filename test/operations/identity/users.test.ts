import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, readPage, recordIn } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { missing, startUsers, type User, type Users } from './user-calls.ts';

describeOne('users', 'one process', (topology) => {
  let suite: Users;
  before(async () => {
    suite = await startUsers(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('Users_List pages through all users, for the platform only', async () => {
    const { stack, ada, bob, carol, platform } = suite;
    // Other files add users meanwhile. A page has at most 200.
    const count = await countOf(stack, 'identity.user_account');
    const limit = Math.min(200, Math.floor(count / 3));
    const { items, sizes } = await readList<User>(
      stack,
      'Users_List',
      {},
      stack.platformKey,
      limit,
    );
    assert.ok(sizes.length >= 3 && sizes.slice(0, -1).every((size) => size === limit));
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
    const { stack, ada, bob, add, provision } = suite;
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
    const { stack, ada, bob, add } = suite;
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
    const { stack, ada, bob, carol, platform } = suite;
    const tenant = await createTenant(stack, ada.token);
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant, UserID: bob.id }));
    bodyOf(await platform('TenantMembers_Add', { Tenant: tenant, UserID: carol.id }));
    await signUp(stack);
    type Facts = { HasPassword: boolean; LastLoginAt?: string };
    const factsOf = async (caller: string): Promise<boolean[]> => {
      const records = [
        recordIn(await stack.call('Users_Get', { UserID: carol.id }, caller), 'User'),
        recordIn(await stack.call('Users_GetByEmail', { Email: carol.email }, caller), 'User'),
        (await readList<User>(stack, 'Users_ListByTenant', { Tenant: tenant }, caller)).items.find(
          ({ ID }) => ID === carol.id,
        ),
      ] as Facts[];
      return records.flatMap(({ HasPassword, LastLoginAt }) => [
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
    const { stack, bob, typesAbout } = suite;
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
});
