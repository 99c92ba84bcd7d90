import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import { eventually } from '../../support/harness.ts';
import { mailsTo, mailTo, signUp, tenantFor } from '../../support/people.ts';
import { admitter, assertRefusal } from '../../support/sso.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type Memberships, plain, startMemberships } from './membership-calls.ts';

describe('the end of a membership by consent', () => {
  let suite: Memberships;
  before(async () => {
    suite = await startMemberships();
  });
  after(() => suite?.stop());

  test('TenantMembers_Decline is final: the tenant cannot ask again, by adding or by withdrawing and adding', async () => {
    const { stack, ada, bob, add, accept, decline, remove, ownTenant, listed, countEvents } = suite;
    const [carol, dan] = [await signUp(stack), await signUp(stack)];
    const tenant = await tenantFor(stack, ada.id);
    for (const person of [carol, dan]) bodyOf(await add(tenant, person));
    bodyOf(await decline(tenant, carol));
    bodyOf(await decline(tenant, carol));
    assertRefused(await accept(tenant, carol), 403, 'permission_denied', plain);
    for (let again = 0; again < 3; again++) {
      bodyOf(await remove(tenant, carol));
      bodyOf(await add(tenant, carol));
    }
    assert.equal(await ownTenant(tenant, carol), undefined);
    assert.deepEqual(await listed(tenant, carol), []);
    for (let again = 0; again < 3; again++) {
      bodyOf(await remove(tenant, dan));
      bodyOf(await remove(tenant, dan));
      bodyOf(await add(tenant, dan));
    }
    assert.equal((await ownTenant(tenant, dan))?.Membership.Status, 'pending');
    assert.equal(await countEvents(tenant, 'tenant.member_declined'), 1);
    assert.equal(await countEvents(tenant, 'tenant.member_withdrawn'), 3);
    assert.equal(await countEvents(tenant, 'tenant.member_proposed'), 5);
    await mailTo(stack, bob.email);
    const tasks = `access.outbox where tasks::text like '%membership_pending%' and tasks::text like $1`;
    for (const { email } of [carol, dan]) {
      assert.equal(await countOf(stack, tasks, [`%${email}%`]), 1);
      await eventually(
        'one mail about the offer',
        async () => (await mailsTo(stack, email)).length === 2,
      );
    }
    // After 30 days the tenant may ask again.
    await rowsOf(
      stack,
      `update access.membership_offer set updated_at = now() - interval '31 days' where user_id = $1`,
      [carol.id],
    );
    bodyOf(await add(tenant, carol));
    assert.equal((await ownTenant(tenant, carol))?.Membership.Status, 'pending');
    // Leaving counts as declining.
    bodyOf(await remove(tenant, carol, carol.token));
    assertRefused(await accept(tenant, carol), 403, 'permission_denied', plain);
  });

  test('a caller who was not added cannot accept, decline or learn that the tenant exists', async () => {
    const { stack, ada, bob, add, accept, decline, remove, members } = suite;
    const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
    bodyOf(await add(tenant, bob));
    for (const Tenant of [tenant, 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz']) {
      for (const ask of [accept, decline])
        assertRefused(await ask(Tenant, carol), 403, 'permission_denied', plain);
      assertRefused(await remove(Tenant, carol, carol.token), 403, 'permission_denied', plain);
    }
    // A caller cannot accept for another user: the body names no user, and a bot or the platform is
    // not a user.
    assertRefused(
      await stack.call('TenantMembers_Accept', { Tenant: tenant }, stack.platformKey),
      403,
      'permission_denied',
    );
    assert.equal(await members(tenant, bob), 0);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: tenant }, stack.platformKey));
    assertRefused(await accept(tenant, bob), 403, 'permission_denied', plain);
    bodyOf(await decline(tenant, bob));
  });

  test('concurrent calls: Add asks once, Accept makes one member, and Accept and Decline never both succeed', async () => {
    const { stack, ada, add, accept, decline, members, countEvents } = suite;
    for (let round = 0; round < 3; round++) {
      const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
      for (const answer of await Promise.all(
        Array.from({ length: 20 }, () => retryWhileBusy(() => add(tenant, carol))),
      ))
        bodyOf(answer);
      assert.equal(await countEvents(tenant, 'tenant.member_proposed'), 1);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          retryWhileBusy(() => (index % 5 === 4 ? decline : accept)(tenant, carol)),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 403]));
      const added = await countEvents(tenant, 'tenant.member_added');
      assert.equal(await countEvents(tenant, 'tenant.member_declined'), added === 2 ? 0 : 1);
      assert.equal(await members(tenant, carol), added - 1);
    }
  });

  test('a disabled member who has left can return only with an administrator’s consent', async () => {
    const {
      stack,
      ada,
      bob,
      member,
      add,
      accept,
      decline,
      remove,
      groupsIn,
      ownTenant,
      members,
      refused,
    } = suite;
    const [carol, tenant] = [await signUp(stack), await tenantFor(stack, ada.id)];
    const use = admitter(stack);
    try {
      const { Token } = bodyOf(
        await stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: carol.email },
          ada.token,
        ),
      );
      bodyOf(
        await stack.call(
          'Grants_Add',
          { Grant: { UserID: carol.id, Role: 'platform-support', Platform: true } },
          stack.platformKey,
        ),
      );
      const leaveDisabled = async () => {
        bodyOf(await stack.call('TenantMembers_Disable', member(tenant, carol), ada.token));
        bodyOf(await remove(tenant, carol, carol.token));
      };
      const assertStaysOut = async (status = 'barred') => {
        await assertRefusal(use.join(tenant, carol), 'permission_denied', 'NO_MEMBER');
        await assertRefusal(
          use.join(tenant, carol, { provider: '' }),
          'permission_denied',
          'NO_MEMBER',
        );
        await refused(stack.call('TenantInvitations_Accept', { Token }, carol.token));
        for (const ask of [accept, decline])
          assertRefused(await ask(tenant, carol), 403, 'permission_denied', plain);
        for (const answer of [await groupsIn(tenant, carol), await add(tenant, carol, carol.token)])
          assertRefused(answer, 403, 'permission_denied', plain);
        const [row] = await rowsOf(
          stack,
          'select status from access.tenant_member where tenant = $1 and user_id = $2',
          [tenant, carol.id],
        );
        assert.deepEqual(row, { status });
        assert.equal(
          await countOf(stack, 'access.grant_entry where tenant = $1 and subject = $2', [
            tenant,
            carol.id,
          ]),
          0,
        );
      };
      bodyOf(await add(tenant, carol, stack.platformKey));
      await leaveDisabled();
      await assertStaysOut();

      // A member who may invite, but not add members, cannot let her return.
      bodyOf(await add(tenant, bob, stack.platformKey));
      bodyOf(
        await stack.call(
          'Roles_Save',
          { Role: { Tenant: tenant, Slug: 'inviter', Permissions: ['iam.invitations.*'] } },
          ada.token,
        ),
      );
      bodyOf(
        await stack.call(
          'Grants_Add',
          { Grant: { ...member(tenant, bob), Role: 'inviter' } },
          ada.token,
        ),
      );
      const invite = (token: string) =>
        stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: carol.email, Roles: ['inviter'] },
          token,
        );
      assertRefused(await invite(bob.token), 400, 'already_exists');
      await assertStaysOut();

      // Enabling does not make her a member without her consent; it lets her return.
      bodyOf(await stack.call('TenantMembers_Enable', member(tenant, carol), ada.token));
      assert.equal(await members(tenant, carol), 0);
      assert.equal((await use.join(tenant, carol)).joined, true);
      await leaveDisabled();
      await assertStaysOut();

      bodyOf(await add(tenant, carol));
      assert.equal((await ownTenant(tenant, carol))?.Membership.Status, 'pending');
      bodyOf(await accept(tenant, carol));
      bodyOf(await groupsIn(tenant, carol));
      await leaveDisabled();
      await assertStaysOut();

      const renewed = bodyOf(
        await stack.call(
          'TenantInvitations_Create',
          { Tenant: tenant, Email: carol.email },
          ada.token,
        ),
      )['Token'];
      bodyOf(await stack.call('TenantInvitations_Accept', { Token: renewed }, carol.token));
      bodyOf(await groupsIn(tenant, carol));
      await leaveDisabled();
      await refused(stack.call('TenantInvitations_Accept', { Token: renewed }, carol.token));
    } finally {
      await use.close();
    }
  });

  test('an offer ends with the membership, and with the tenant', async () => {
    const { stack, ada, add, accept, remove } = suite;
    const [carol, dan, eve, tenant] = [
      await signUp(stack),
      await signUp(stack),
      await signUp(stack),
      await tenantFor(stack, ada.id),
    ];
    for (const person of [carol, dan, eve]) bodyOf(await add(tenant, person));
    // The previous version makes members like this: it does not know offers.
    const text = `insert into access.tenant_member (tenant, user_id, status, source, joined_at) values ($1, $2, 'active', 'sso', now())`;
    for (const { id } of [carol, eve]) await rowsOf(stack, text, [tenant, id]);
    bodyOf(await remove(tenant, carol));
    assertRefused(await accept(tenant, carol), 403, 'permission_denied', plain);
    // The previous version purges a tenant like this.
    await rowsOf(stack, 'update access.membership_offer set tenant = $1 where user_id = $2', [
      createId('tnt'),
      dan.id,
    ]);
    const countOffers = () =>
      countOf(stack, 'access.membership_offer where tenant = $1 or user_id = $2', [tenant, dan.id]);
    await eventually('the offers to be deleted', async () => (await countOffers()) === 0);
  });
});
