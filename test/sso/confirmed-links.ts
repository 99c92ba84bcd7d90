import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { mailTo, password, tokenIn } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import type { MovedDomain } from './moved-domain.ts';
import { type Providers } from './stage.ts';

// Users_ConfirmIdentity lifts the limit of a session by an email address.

/** `providers` is called after the suite has started them. */
export function testConfirmedLinks(providers: () => Providers, moved: MovedDomain): void {
  const { stack, call, introspect, confirm } = moved;
  const { newDomain, createVictim, releaseDomains, claimDomain, enter, createHandOver } = moved;

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
}
