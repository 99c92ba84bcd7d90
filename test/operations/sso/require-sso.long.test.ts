import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { createBot, createKey, grantBotInStore } from '../../support/bots.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { ssoSession } from '../../support/sso.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { bare, isRequired, type RequireSso, startRequireSso } from './require-sso-calls.ts';

// In a tenant that requires single sign-on, sessions from elsewhere have no rights, in any
// operation.
describeBoth('Settings.RequireSso', (topology) => {
  let suite: RequireSso;
  before(async () => {
    suite = await startRequireSso(await sharedStack(topology));
  });
  after(() => suite?.stop());

  test('Tenants_Update of RequireSso needs a session of the tenant’s provider, a bot or the platform', async () => {
    const { stack, use, ada, set } = suite;
    const [Tenant, other] = await Promise.all([use.tenantOf(ada), use.tenantOf(ada)]);
    const message = [
      "Tenant.Settings.RequireSso can be switched on in a session that came from a provider of the tenant, or with a bot's key",
    ];
    const foreign = await ssoSession(stack, ada, other);
    for (const token of [ada.token, foreign])
      assertRefused(await set(Tenant, true, token), 400, 'failed_precondition', message);
    assertRefused(
      await stack.call(
        'Tenants_Create',
        { Tenant: { Name: 'Acme', Settings: { RequireSso: true } } },
        ada.token,
      ),
      400,
      'failed_precondition',
      message,
    );
    const requires = async () =>
      (
        await rowsOf<{ requires: boolean | null }>(
          stack,
          `select (settings->>'requireSso')::boolean as requires from access.tenant where id = $1`,
          [Tenant],
        )
      )[0]?.requires;
    assert.notEqual(await requires(), true);

    const own = await ssoSession(stack, ada, Tenant);
    const bot = await createBot(stack, Tenant, ada.token);
    await grantBotInStore(stack, bot, 'owner');
    const { Secret } = await createKey(stack, bot, ada.token);
    for (const token of [own, Secret, stack.platformKey]) {
      bodyOf(await set(Tenant, true, token));
      assert.equal(await requires(), true);
      // Sending the current value again is always allowed.
      bodyOf(
        await stack.call(
          'Tenants_Update',
          { Tenant: { ID: Tenant, Name: 'Acme', Settings: { RequireSso: true } } },
          own,
        ),
      );
      bodyOf(await set(Tenant, false, token));
    }
  });

  test('RequireSso takes effect and ends with the reply, for each session of a user separately', async () => {
    const { stack, use, ada, set, groups } = suite;
    const Tenant = await use.tenantOf(ada);
    const [own, foreign] = [
      await ssoSession(stack, ada, Tenant),
      await ssoSession(stack, ada, await use.tenantOf(ada)),
    ];
    for (let round = 0; round < 3; round++) {
      for (const token of [ada.token, own, foreign]) bodyOf(await groups(Tenant, token));
      bodyOf(await set(Tenant, true, own));
      for (let again = 0; again < 2; again++) {
        isRequired(await groups(Tenant, ada.token));
        bodyOf(await groups(Tenant, own));
        isRequired(await groups(Tenant, foreign));
      }
      bodyOf(await set(Tenant, false, own));
    }
  });

  test('only an active member learns the reason; bots, the platform and other tenants are not affected', async () => {
    const { stack, use, ada, bob, groups, strictTenant } = suite;
    const Tenant = await strictTenant();
    const [stranger, shut, operator] = await Promise.all([
      signUp(stack),
      signUp(stack),
      signUp(stack),
    ]);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: shut.id }, stack.platformKey));
    await rowsOf(
      stack,
      `update access.tenant_member set status = 'disabled' where tenant = $1 and user_id = $2`,
      [Tenant, shut.id],
    );
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Platform: true, UserID: operator.id, Role: 'platform-owner' } },
        stack.platformKey,
      ),
    );
    for (const token of [
      stranger.token,
      shut.token,
      operator.token,
      await ssoSession(stack, stranger, Tenant),
      await ssoSession(stack, shut, Tenant),
    ])
      assertRefused(await groups(Tenant, token), 403, 'permission_denied', bare);
    isRequired(await groups(Tenant, bob.token));
    // A grant on the platform gives no right in the tenant.
    bodyOf(await stack.call('Tenants_Get', { Tenant }, operator.token));
    assertRefused(await stack.call('Users_List', {}, bob.token), 403, 'permission_denied', bare);
    bodyOf(await groups(Tenant, stack.platformKey));
    bodyOf(await groups(await use.tenantOf(ada), ada.token));
    const bot = await createBot(stack, Tenant, stack.platformKey);
    await grantBotInStore(stack, bot, 'member');
    bodyOf(await groups(Tenant, (await createKey(stack, bot, stack.platformKey)).Secret));
    bodyOf(await stack.call('Tenants_Suspend', { Tenant }, stack.platformKey));
    assertRefused(await groups(Tenant, bob.token), 403, 'permission_denied', [
      'tenant Acme is suspended',
    ]);
    assertRefused(await groups(Tenant, shut.token), 403, 'permission_denied', bare);
  });

  test('a session from elsewhere reads and changes nothing, in any operation of the tenant', async () => {
    const { stack, bob, strictTenant } = suite;
    const Tenant = await strictTenant();
    const carol = await signUp(stack);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: carol.id }, stack.platformKey));
    const own = await ssoSession(stack, bob, Tenant);
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'ops' } }, own));
    bodyOf(await stack.call('Groups_AddMember', { Tenant, Group: 'ops', UserID: bob.id }, own));
    const answer = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, Name: 'strict', URL: `${stack.inboxUrl}/hooks/strict` } },
      own,
    );
    const endpoint = recordIn(answer, 'Endpoint') as object;

    const user = (token: string) => stack.call('Users_Get', { UserID: carol.id }, token);
    bodyOf(await user(own));
    assert.notEqual((await user(bob.token)).status, 200);
    const update = (token: string) =>
      stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...endpoint, Description: 'mine' } },
        token,
      );
    const without = (token: string) =>
      stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...endpoint, Tenant: '', Description: 'mine' } },
        token,
      );
    assertRefused(await update(bob.token), 403, 'permission_denied');
    assertRefused(await without(bob.token), 400, 'not_found');
    bodyOf(await without(own));

    for (const [operation, request] of [
      ['Groups_ListMemberGroups', {}],
      ['Groups_ListMemberGroups', { Effective: true }],
      ['Grants_List', {}],
      ['Audit_ListByUser', {}],
      ['Audit_ListByUser', { Tenant }],
    ] as const) {
      const sees = async (token: string) =>
        (
          await readList<{ Tenant: string }>(
            stack,
            operation,
            { UserID: bob.id, ...request },
            token,
          )
        ).items.some((entry) => entry.Tenant === Tenant);
      await eventually(`${operation} to show the tenant`, () => sees(own));
      assert.equal(await sees(bob.token), false, operation);
    }
    isRequired(await stack.call('Bots_List', { Tenant }, bob.token));
    isRequired(
      await stack.call(
        'Access_Plan',
        { Tenant, Changes: [{ Roles_Delete: { Tenant, Slug: 'custom' } }] },
        bob.token,
      ),
    );
    // Leaving needs no right in the tenant, so a member without single sign-on can still leave.
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: bob.id }, bob.token));
    assert.equal(
      await countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [
        Tenant,
        bob.id,
      ]),
      0,
    );
  });

  test('a caller with a grant on the platform reads no tenant that requires single sign-on from another provider', async () => {
    const { stack, set, strictTenant } = suite;
    const [Tenant, operator, carol] = await Promise.all([
      strictTenant(),
      signUp(stack),
      signUp(stack),
    ]);
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: carol.id }, stack.platformKey));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'ops' } }, stack.platformKey));
    bodyOf(
      await stack.call(
        'Groups_AddMember',
        { Tenant, Group: 'ops', UserID: carol.id },
        stack.platformKey,
      ),
    );
    bodyOf(
      await stack.call(
        'Grants_Add',
        { Grant: { Platform: true, UserID: operator.id, Role: 'auditor' } },
        stack.platformKey,
      ),
    );
    const groupsOf = async (token: string) =>
      (await readList(stack, 'Groups_ListMemberGroups', { UserID: carol.id }, token)).items.length;
    const grantsOf = async (token: string) =>
      (await readList(stack, 'Grants_List', { UserID: carol.id }, token)).items.length;
    const user = (token: string) => stack.call('Users_Get', { UserID: carol.id }, token);
    assert.deepEqual([await groupsOf(operator.token), await grantsOf(operator.token)], [0, 0]);
    assertRefused(await user(operator.token), 400, 'not_found');
    const own = await ssoSession(stack, operator, Tenant);
    assert.deepEqual([await groupsOf(own), await grantsOf(own)], [1, 1]);
    bodyOf(await user(own));
    bodyOf(await set(Tenant, false, stack.platformKey));
    assert.deepEqual([await groupsOf(operator.token), await grantsOf(operator.token)], [1, 1]);
    bodyOf(await user(operator.token));
  });
});
