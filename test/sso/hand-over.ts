import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { mailTo, password, signUp, tenantFor, tokenIn } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { createHome, type Home, loginUrl, ownDomain, refusalIn, type Saved } from './home.ts';
import { account, type Providers } from './stage.ts';

// A domain moves from one tenant to another. The new tenant's provider then asserts addresses that
// belong to users of the first tenant.

type Link = { Provider: string; Tenant: string; Limited: boolean };
type Introspected = { Active: boolean; Tenant: string; UserID: string };

/** `providers` is called after the suite has started them. */
export function testHandOver(providers: () => Providers): void {
  const stack = (): Stack => providers().stack;
  const call = (operation: string, request: object, token?: string) =>
    stack().call(operation, request, token);
  const identitiesOf = async (userId: string) =>
    (await readList<Link>(stack(), 'Users_ListIdentities', { UserID: userId }, stack().platformKey))
      .items;
  const introspect = async (Token: string, Tenant = '') =>
    bodyOf(
      await call('Tokens_Introspect', { Token, Tenant }, stack().platformKey),
    ) as unknown as Introspected;
  const confirm = (token: string, UserID: string, Provider: string, rest: object = {}) =>
    call('Users_ConfirmIdentity', { UserID, Provider, ...rest }, token);
  const newDomain = () => `d${randomBytes(6).toString('hex')}.example.com`;

  /** Creates the tenant that has the domain first. Its owner is also a platform owner. */
  async function createVictim(domain: string): Promise<Home> {
    const owner = await signUp(stack(), `ada@${domain}`);
    const tenant = await tenantFor(stack(), owner.id);
    await ownDomain(stack(), { tenant, owner }, { Name: domain });
    await rowsOf(
      stack(),
      `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ('', $1, 'user', $2, 'platform-owner', '', '', now())`,
      [createId('grt'), owner.id],
    );
    return { tenant, domain, owner };
  }

  async function releaseDomains({ tenant: Tenant, owner }: Home): Promise<void> {
    for (const { ID } of (
      await readList<{ ID: string }>(stack(), 'Domain_List', { Tenant }, owner.token)
    ).items)
      bodyOf(await call('Domain_Delete', { Tenant, ID }, owner.token));
  }

  /** Creates the tenant that has the domain next, with a provider. */
  async function claimDomain(domain: string): Promise<{ home: Home; provider: Saved }> {
    const home = await createHome(stack());
    await ownDomain(stack(), home, { Name: domain });
    return { home, provider: await providers().provide(home, 'oidc') };
  }

  async function enter(provider: Saved, subject: string, email: string): Promise<string> {
    providers().setIdentity({ subject, email });
    return (await providers().go(loginUrl(stack(), provider))).token ?? assert.fail('no session');
  }

  /** Creates a victim, and a session on its account that the next tenant's provider has opened. */
  async function createHandOver() {
    const victim = await createVictim(newDomain());
    await releaseDomains(victim);
    const { home, provider } = await claimDomain(victim.domain);
    const token = await enter(provider, 'mallory', victim.owner.email);
    return { victim, home, provider, token };
  }

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

  test('Users_ConfirmIdentity accepts the account’s password, but not one that was reset after the link', async () => {
    const { victim, home, provider, token } = await createHandOver();
    const { id, email } = victim.owner;
    assertRefused(await confirm(token, id, provider.ID), 400, 'invalid_argument');
    assertRefused(
      await confirm(token, id, provider.ID, { Password: 'not the password' }),
      403,
      'permission_denied',
      ['Password is wrong'],
    );
    assertRefused(
      await confirm(home.owner.token, id, provider.ID, { Password: password }),
      403,
      'permission_denied',
    );
    // The owner of the domain can read its mail.
    bodyOf(await call('Account_RequestPasswordReset', { Email: email }));
    const reset = tokenIn(await mailTo(stack(), email, 3));
    const Password = 'stolen horse battery';
    bodyOf(await call('Account_ResetPassword', { Token: reset, Password }));
    const again = await enter(provider, 'mallory', email);
    assertRefused(await confirm(again, id, provider.ID, { Password }), 403, 'permission_denied');
    const { Token } = bodyOf(
      await call('Account_Login', { Email: email, Password }),
    ) as unknown as { Token: string };
    assertRefused(await confirm(Token, id, provider.ID), 403, 'permission_denied');
    assertRefused(
      await call('Tenants_Get', { Tenant: victim.tenant }, again),
      403,
      'permission_denied',
    );
    bodyOf(await confirm(stack().platformKey, id, provider.ID));
    assert.equal(
      (await call('Tenants_Get', { Tenant: victim.tenant }, again)).status,
      200,
      'the operator confirmed the identity',
    );
  });

  test('Users_ConfirmIdentity lifts the limit of open sessions and of later ones', async () => {
    for (const bySession of [false, true]) {
      const { victim, provider, token } = await createHandOver();
      const { id, email } = victim.owner;
      assertRefused(
        await call('Tenants_Get', { Tenant: victim.tenant }, token),
        403,
        'permission_denied',
      );
      // The owner changes the password in between and proves the current one.
      const Password = 'other horse battery';
      bodyOf(
        await call('Account_ChangePassword', { Current: password, Password }, victim.owner.token),
      );
      const entered = await enter(provider, 'mallory', email);
      bodyOf(
        bySession
          ? await confirm(victim.owner.token, id, provider.ID)
          : await confirm(entered, id, provider.ID, { Password }),
      );
      for (const session of [entered, await enter(provider, 'mallory', email)]) {
        assert.equal((await call('Tenants_Get', { Tenant: victim.tenant }, session)).status, 200);
        assert.equal((await call('Users_List', {}, session)).status, 200);
        assert.equal((await introspect(session, victim.tenant)).Active, true);
        assert.equal((await introspect(session)).Tenant, '');
      }
      const [event] = await rowsOf<{ count: number }>(
        stack(),
        `select count(*)::int as count from identity.outbox where type = 'user.identity_confirmed' and audit like '%' || $1 || '%'`,
        [id],
      );
      assert.equal(event?.count, 1);
      bodyOf(
        await call(
          'Users_RemoveIdentity',
          { UserID: id, Provider: provider.ID },
          victim.owner.token,
        ),
      );
      assert.equal(
        (await call('Account_Get', {}, entered)).status,
        401,
        'removing the link ends its sessions',
      );
    }
  });

  test('Users_ConfirmIdentity accepts a session by an older identity of another tenant, not by a newer one', async () => {
    const victim = await createVictim(newDomain());
    const { id, email } = victim.owner;
    const older = await providers().provide(victim, 'oidc');
    const first = await enter(older, 'ada', email);
    assertRefused(await confirm(first, id, older.ID), 400, 'invalid_argument');
    bodyOf(await confirm(first, id, older.ID, { Password: password }));
    await releaseDomains(victim);
    const { provider } = await claimDomain(victim.domain);
    const limited = await enter(provider, 'mallory', email);
    assertRefused(await confirm(limited, id, older.ID), 400, 'invalid_argument');
    bodyOf(await confirm(first, id, provider.ID));
    assert.equal((await call('Tenants_Get', { Tenant: victim.tenant }, limited)).status, 200);
    await rowsOf(
      stack(),
      `update identity.identity_link set trust = 'address' where provider = $1`,
      [older.ID],
    );
    assertRefused(await confirm(limited, id, older.ID), 403, 'permission_denied');
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
    const known = `known@${home.domain}`;
    const { ID: knownId } = bodyOf(
      await call('Users_Create', { User: { Email: known } }, stack().platformKey),
    )['User'] as { ID: string };
    bodyOf(
      await call(
        'TenantMembers_Add',
        { Tenant: other.tenant, UserID: knownId },
        stack().platformKey,
      ),
    );
    bodyOf(await call('Tenants_Suspend', { Tenant: other.tenant }, stack().platformKey));
    const limited = await enter(provider, 'known', known);
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
    await enter(provider, 'known', known);
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
    const gone = await providers().go(loginUrl(stack(), provider));
    assert.deepEqual([refusalIn(gone).status, gone.token], [403, undefined]);
  });
}
