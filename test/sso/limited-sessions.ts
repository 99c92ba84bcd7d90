import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList } from '../support/answers.ts';
import { password } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { createHome, loginUrl, refusalIn } from './home.ts';
import type { MovedDomain } from './moved-domain.ts';
import { account, type Providers } from './stage.ts';

// A session that a provider opened by an email address alone, after the domain of the address moved.

/** `providers` is called after the suite has started them. */
export function testLimitedSessions(providers: () => Providers, moved: MovedDomain): void {
  const { stack, call, identitiesOf, introspect, confirm } = moved;
  const { newDomain, claimDomain, enter, createHandOver } = moved;

  test('a session by the new tenant of a moved domain has no rights in the old tenant or on the platform', async () => {
    const { victim, home, provider, token } = await createHandOver();
    const { User, Tenants } = await account(stack(), token);
    assert.equal(User.ID, victim.owner.id, 'the address belongs to the same account');
    assert.deepEqual(
      Tenants.map(({ ID }) => ID),
      [home.tenant],
    );
    for (const Tenant of [victim.tenant, createId('tnt')]) {
      const stranger = await call('Tenants_Get', { Tenant }, token);
      assertRefused(stranger, 403, 'permission_denied', ['permission denied']);
    }
    assertRefused(
      await call('Tenants_Update', { Tenant: { ID: victim.tenant, Name: 'Taken' } }, token),
      403,
      'permission_denied',
    );
    assertRefused(await call('Users_List', {}, token), 403, 'permission_denied');
    assertRefused(
      await call('Tenants_Suspend', { Tenant: victim.tenant }, token),
      403,
      'permission_denied',
    );
    // A platform grant applies in every tenant, but not in this session.
    assertRefused(
      await call('Tenants_Update', { Tenant: { ID: home.tenant, Name: 'More' } }, token),
      403,
      'permission_denied',
    );
    assert.equal((await call('Tenants_Get', { Tenant: home.tenant }, token)).status, 200);

    const checkAccess = async (Tenant: string, Permission: string) =>
      call('Access_Check', { Tenant, Permission }, token);
    assert.equal(bodyOf(await checkAccess(home.tenant, 'iam.tenant.read'))['Allowed'], true);
    assert.equal(bodyOf(await checkAccess(home.tenant, 'iam.tenant.write'))['Allowed'], false);
    assertRefused(await checkAccess(victim.tenant, 'iam.tenant.read'), 403, 'permission_denied');
    const own = await introspect(token);
    assert.deepEqual([own.Active, own.Tenant, own.UserID], [true, home.tenant, victim.owner.id]);
    assert.equal((await introspect(token, home.tenant)).Active, true);
    assert.deepEqual(await introspect(token, victim.tenant), await introspect('junk'));
    assert.deepEqual(
      (await identitiesOf(victim.owner.id)).map(({ Provider, Limited }) => [Provider, Limited]),
      [[provider.ID, true]],
    );
    // The user's own session keeps its rights.
    assert.equal(
      (await call('Tenants_Get', { Tenant: victim.tenant }, victim.owner.token)).status,
      200,
    );
  });

  test('a limited session sees no other tenant and cannot take over the account', async () => {
    const { victim, home, provider, token } = await createHandOver();
    const UserID = victim.owner.id;
    const invitation = bodyOf(
      await call(
        'TenantInvitations_Create',
        { Tenant: (await createHome(stack())).tenant, Email: victim.owner.email },
        stack().platformKey,
      ),
    );
    const refused: Array<[string, object]> = [
      ['Account_ChangeEmail', { Email: 'mallory@example.com', Password: password }],
      ['Account_ChangePassword', { Current: password, Password: 'another horse battery' }],
      ['Account_Update', { User: { Name: 'Mallory' } }],
      ['Sessions_List', {}],
      ['Sessions_Revoke', { ID: createId('ses') }],
      ['Sessions_RevokeAll', {}],
      ['Users_ListIdentities', { UserID }],
      ['Users_RemoveIdentity', { UserID, Provider: provider.ID }],
      ['Users_Update', { User: { ID: UserID, Name: 'Mallory' } }],
      ['Users_Delete', { UserID }],
      ['Tenants_Create', { Tenant: { Name: 'Mine' } }],
      ['TenantMembers_Remove', { Tenant: victim.tenant, UserID }],
      ['TenantInvitations_Accept', { Token: invitation['Token'] }],
      ['TenantInvitations_ListByEmail', { Email: victim.owner.email }],
      ['Domain_Join', { Tenant: home.tenant }],
      ['Domain_ListSuggestions', {}],
      ['Audit_ListByUser', { UserID, Tenant: victim.tenant }],
      ['Access_Explain', { Tenant: victim.tenant, Permission: 'iam.tenant.read' }],
    ];
    for (const [operation, request] of refused) {
      const answer = await call(operation, request, token);
      assertRefused(answer, 403, 'permission_denied');
      assert.match(String(answer.body['Message']), /Users_ConfirmIdentity/, operation);
    }
    assertRefused(await call('Audit_ListByUser', { UserID }, token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
    const allowed: Array<[string, object]> = [
      ['Account_Get', {}],
      ['Tenants_ListMine', {}],
      ['Users_Get', { UserID }],
      ['Users_GetByEmail', { Email: victim.owner.email }],
      ['Grants_List', { UserID }],
      ['Groups_ListMemberGroups', { UserID }],
      ['Audit_ListByUser', { UserID, Tenant: home.tenant }],
      ['Access_ListPermissions', { Tenant: home.tenant }],
    ];
    for (const [operation, request] of allowed) {
      const text = JSON.stringify(bodyOf(await call(operation, request, token)));
      assert.ok(
        !text.includes(victim.tenant) && !text.includes('platform-owner'),
        `${operation}: ${text}`,
      );
    }
    bodyOf(await call('TenantMembers_Remove', { Tenant: home.tenant, UserID }, token));
    assertRefused(
      await call('Tenants_Get', { Tenant: home.tenant }, token),
      403,
      'permission_denied',
    );
  });

  test('a limited sign-in does not reset the failed password attempts, since the password lifts its limit', async () => {
    const { victim, home, provider, token } = await createHandOver();
    const { id, email } = victim.owner;
    const failures = async () =>
      (
        await rowsOf<{ failures: number }>(
          stack(),
          'select failures from identity.login_failure where email_key = $1',
          [email],
        )
      ).map((row) => row.failures);
    const guess = (by: string) => confirm(by, id, provider.ID, { Password: 'not the password' });
    for (let count = 0; count < 3; count++)
      assertRefused(await guess(token), 403, 'permission_denied');
    assert.deepEqual(await failures(), [3]);
    const again = await enter(provider, 'mallory', email);
    assert.deepEqual(await failures(), [3]);
    for (let count = 0; count < 2; count++)
      assertRefused(await guess(again), 403, 'permission_denied');
    assert.equal((await guess(await enter(provider, 'mallory', email))).status, 429);
    assert.equal((await call('Tenants_Get', { Tenant: home.tenant }, again)).status, 200);
  });

  test('an account without a password and without another tenant gets an unlimited link, which stays so', async () => {
    const { home, provider } = await claimDomain(newDomain());
    const email = `new@${home.domain}`;
    const { ID } = bodyOf(
      await call('Users_Create', { User: { Email: email } }, stack().platformKey),
    )['User'] as { ID: string };
    const token = await enter(provider, 'new', email);
    assert.equal((await readList(stack(), 'Sessions_List', {}, token)).items.length, 1);
    const other = await createHome(stack());
    bodyOf(
      await call('TenantMembers_Add', { Tenant: other.tenant, UserID: ID }, stack().platformKey),
    );
    assert.equal(
      (await call('Tenants_Get', { Tenant: other.tenant }, await enter(provider, 'new', email)))
        .status,
      200,
    );
    // A membership in another tenant, even a suspended one, makes the link limited.
    const knownEmail = `known@${home.domain}`;
    const { ID: knownId } = bodyOf(
      await call('Users_Create', { User: { Email: knownEmail } }, stack().platformKey),
    )['User'] as { ID: string };
    bodyOf(
      await call(
        'TenantMembers_Add',
        { Tenant: other.tenant, UserID: knownId },
        stack().platformKey,
      ),
    );
    bodyOf(await call('Tenants_Suspend', { Tenant: other.tenant }, stack().platformKey));
    const limited = await enter(provider, 'known', knownEmail);
    bodyOf(await call('Tenants_Resume', { Tenant: other.tenant }, stack().platformKey));
    assertRefused(
      await call('Tenants_Get', { Tenant: other.tenant }, limited),
      403,
      'permission_denied',
    );
    // After the other tenant has removed the user, the limit protects nothing.
    bodyOf(
      await call(
        'TenantMembers_Remove',
        { Tenant: other.tenant, UserID: knownId },
        stack().platformKey,
      ),
    );
    assertRefused(await call('Sessions_List', {}, limited), 403, 'permission_denied');
    await enter(provider, 'known', knownEmail);
    assert.equal((await call('Sessions_List', {}, limited)).status, 200);
  });

  test('a provider of a lapsed domain opens sessions for its tenant only, and none after the domain moved', async () => {
    const { home, provider } = await claimDomain(newDomain());
    const email = `staff@${home.domain}`;
    const token = await enter(provider, 'staff', email);
    const { User } = await account(stack(), token);
    const other = await createHome(stack());
    bodyOf(
      await call(
        'TenantMembers_Add',
        { Tenant: other.tenant, UserID: User.ID },
        stack().platformKey,
      ),
    );
    assert.equal((await call('Tenants_Get', { Tenant: other.tenant }, token)).status, 200);
    await rowsOf(stack(), `update sso.domain set status = 'lapsed' where tenant = $1`, [
      home.tenant,
    ]);
    const limited = await enter(provider, 'staff', email);
    for (const session of [token, limited])
      assertRefused(
        await call('Tenants_Get', { Tenant: other.tenant }, session),
        403,
        'permission_denied',
      );
    assert.equal((await call('Tenants_Get', { Tenant: home.tenant }, limited)).status, 200);
    await rowsOf(stack(), `update sso.domain set status = 'verified' where tenant = $1`, [
      home.tenant,
    ]);
    await enter(provider, 'staff', email);
    assert.equal(
      (await call('Tenants_Get', { Tenant: other.tenant }, limited)).status,
      200,
      'the domain is verified again',
    );

    // The next tenant's provider, with the same issuer and subject, does not find the first link.
    await rowsOf(stack(), `update sso.domain set status = 'lapsed' where tenant = $1`, [
      home.tenant,
    ]);
    const next = await claimDomain(home.domain);
    const late = await enter(next.provider, 'staff', email);
    assert.deepEqual(
      (await account(stack(), late)).Tenants.map(({ ID }) => ID),
      [next.home.tenant],
    );
    assert.equal((await identitiesOf(User.ID)).length, 2);
    providers().op.setClient({
      id: 'bailiwick',
      redirectUris: [provider, next.provider].map((one) => one.RedirectURI),
      secret: 'a secret that is long enough for HMAC-SHA256',
    });
    const answer = await providers().go(loginUrl(stack(), provider));
    assert.deepEqual([refusalIn(answer).status, answer.token], [403, undefined]);
  });
}
