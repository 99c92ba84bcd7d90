import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { breachedPassword } from '../../support/breached.ts';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { inviter, newGuest, type Person } from '../../support/invitations.ts';
import { login, mailsTo, mailTo, newAddress, password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

/** The token and the secret in the link of the newest mail. */
async function linkOf(stack: Stack, email: string, count = 1) {
  const { Links } = await mailTo(stack, email, count);
  const link = Links.find((one) => one.includes('/invitation?'));
  assert.ok(link);
  const fragment = new URLSearchParams(new URL(link).hash.slice(1));
  return {
    InvitationToken: fragment.get('token') ?? '',
    InvitationSecret: fragment.get('proof') ?? '',
  };
}

const registered = async (stack: Stack, Email: string, more: object = {}) =>
  bodyOf(await stack.call('Account_Register', { Email, Password: password, ...more }));

describeOne('registration by an invitation', 'five processes', (topology) => {
  let stack: Stack;
  let owner: Person;
  let Tenant: string;
  let use: ReturnType<typeof inviter>;
  before(async () => {
    stack = await sharedStack(topology);
    use = inviter(stack);
    owner = await signUp(stack);
    Tenant = await use.tenantOf(owner);
  });
  after(() => stack?.stop());

  test('the link in the mail proves the address: the account needs no second mail', async () => {
    const email = newGuest();
    await use.invite(Tenant, email, owner.token);
    const link = await linkOf(stack, email);
    assertRefused(
      await stack.call('Account_Register', { Email: email, Password: breachedPassword, ...link }),
      400,
      'invalid_argument',
      ['Password is known from a data breach'],
    );
    const { UserID } = await registered(stack, email, { ...link, Locale: 'fr' });
    const { User, Token } = bodyOf(await login(stack, email)) as {
      User: { ID: string; Locale: string };
      Token: string;
    };
    assert.deepEqual([User.ID, User.Locale], [UserID, 'fr']);
    bodyOf(await stack.call('TenantInvitations_Accept', { Token: link.InvitationToken }, Token));
    assert.equal((await mailsTo(stack, email)).length, 1);
  });

  test('the token alone, which the inviter has too, proves nothing', async () => {
    const [email, other] = [newGuest(), newGuest()];
    await use.invite(Tenant, email, owner.token);
    await use.invite(Tenant, other, owner.token);
    const [link, foreign] = await Promise.all([linkOf(stack, email), linkOf(stack, other)]);
    for (const [address, invitation] of [
      [email, { InvitationToken: link.InvitationToken }],
      [email, { ...link, InvitationSecret: `${link.InvitationSecret}x` }],
      [email, { ...link, InvitationSecret: foreign.InvitationSecret }],
      [email, foreign],
      [newAddress(), link],
    ] as const) {
      await registered(stack, address, invitation);
      assert.notEqual((await login(stack, address)).status, 200, JSON.stringify(invitation));
    }
  });

  test('an invitation that is revoked or declined proves nothing any more', async () => {
    const [revoked, declined] = [newGuest(), newGuest()];
    for (const email of [revoked, declined]) await use.invite(Tenant, email, owner.token);
    const links = await Promise.all([revoked, declined].map((email) => linkOf(stack, email)));
    bodyOf(await stack.call('TenantInvitations_Delete', { Tenant, Email: revoked }, owner.token));
    bodyOf(await stack.call('TenantInvitations_Decline', { Token: links[1]?.InvitationToken }));
    for (const [index, email] of [revoked, declined].entries()) {
      await registered(stack, email, links[index]);
      assert.notEqual((await login(stack, email)).status, 200);
      assertRefused(
        await stack.call('TenantInvitations_Get', { Token: links[index]?.InvitationToken }),
        400,
        'failed_precondition',
        ['the token is no longer valid'],
      );
    }
  });

  test('a pending registration by another person loses to the link', async () => {
    const email = newGuest();
    bodyOf(
      await stack.call('Account_Register', { Email: email, Password: 'a stranger’s password' }),
    );
    await mailTo(stack, email);
    await use.invite(Tenant, email, owner.token);
    await registered(stack, email, await linkOf(stack, email, 2));
    assert.notEqual((await login(stack, email, 'a stranger’s password')).status, 200);
    bodyOf(await login(stack, email));
  });

  test('an address with an account gets the notice, and keeps its password', async () => {
    const guest = await signUp(stack, newGuest());
    const already = (await mailsTo(stack, guest.email)).length;
    await use.invite(Tenant, guest.email, owner.token);
    const link = await linkOf(stack, guest.email, already + 1);
    const attempt = { Email: guest.email, Password: 'another good password', ...link };
    bodyOf(await stack.call('Account_Register', attempt));
    bodyOf(await login(stack, guest.email));
  });

  test('TenantInvitations_Get says who invites to which tenant, and with which roles', async () => {
    const email = newGuest();
    await use.invite(Tenant, email, owner.token);
    const { InvitationToken: Token } = await linkOf(stack, email);
    const { ExpiresAt, ...offer } = bodyOf(await stack.call('TenantInvitations_Get', { Token }));
    assert.deepEqual(offer, {
      TenantName: 'Acme',
      InviterName: owner.email.split('@')[0],
      Email: email,
      Roles: ['member'],
      Groups: [],
    });
    assert.ok(Date.parse(String(ExpiresAt)) > Date.now());
  });
});

for (const rule of ['invited', 'closed'] as const)
  describeOne(`BAILIWICK_REGISTRATION=${rule}`, 'one process', (topology) => {
    let stack: Stack;
    before(async () => {
      stack = await startStack(topology, {
        BAILIWICK_REGISTRATION: rule,
        BAILIWICK_LIMITS: 'off',
      });
    });
    after(() => stack?.stop());

    test(`Account_Register is refused ${rule === 'closed' ? 'for everybody' : 'without an invitation'}`, async () => {
      const use = inviter(stack);
      const Owner = { Email: newAddress('owner') };
      const answer = await stack.call(
        'Users_Create',
        { User: Owner, Password: password },
        stack.platformKey,
      );
      const { User } = bodyOf(answer) as { User: { ID: string; Email: string } };
      const owner = {
        id: User.ID,
        email: User.Email,
        token: String(bodyOf(await login(stack, User.Email)).Token),
      };
      const email = newGuest();
      const Tenant = await use.tenantOf(owner);
      await use.invite(Tenant, email, owner.token);
      const link = await linkOf(stack, email);
      const attempt = (more: object = {}) =>
        stack.call('Account_Register', { Email: email, Password: password, ...more });
      const message =
        rule === 'closed'
          ? 'registration is closed'
          : 'registration is by invitation: open the link in the mail';
      assertRefused(await attempt(), 400, 'failed_precondition', [message]);
      assertRefused(
        await attempt({ InvitationToken: link.InvitationToken }),
        400,
        'failed_precondition',
        [message],
      );
      if (rule === 'invited') {
        bodyOf(await attempt(link));
        bodyOf(await login(stack, email));
      } else assertRefused(await attempt(link), 400, 'failed_precondition', [message]);
      assert.equal(bodyOf(await stack.call('Account_SignInOptions', {})).Registration, rule);
    });
  });
