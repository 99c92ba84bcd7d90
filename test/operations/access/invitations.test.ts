import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { deadToken, newGuest } from '../../support/invitations.ts';
import { mailTo, signUp, tokenIn } from '../../support/people.ts';
import { countOf, eventsOf, rowsOf } from '../../support/store.ts';
import { type Invitations, startInvitations } from './invitation-calls.ts';

describeBoth('invitations', (topology) => {
  let suite: Invitations;
  before(async () => {
    suite = await startInvitations(topology);
  });
  after(() => suite?.stop());

  test('TenantInvitations_Create mails a link, and TenantInvitations_Accept makes a member with roles and groups at once', async () => {
    const { stack, use, ada } = suite;
    const Tenant = await use.tenantOf(ada);
    bodyOf(
      await stack.call('Account_Update', { User: { Name: 'Ada www.win.example' } }, ada.token),
    );
    for (const Path of ['eng', 'eng/backend'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, ada.token));
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: 'editor', Permissions: ['app.notes.write'] } },
        ada.token,
      ),
    );
    const email = newGuest();
    const offer = {
      Roles: ['editor', 'auditor', 'editor'],
      Groups: ['/Eng/Backend', 'eng/backend'],
    };
    const token = await use.invite(Tenant, ` ${email.toUpperCase()} `, ada.token, offer);
    const mail = await mailTo(stack, email.toUpperCase());
    assert.equal(tokenIn(mail), token);
    const link = `${stack.url}/invitation?tenant=${Tenant}#token=${token}&proof=`;
    assert.ok(mail.Links.some((one) => one.startsWith(link)));
    assert.match(mail.Text, /Ada www win example invites you to join Acme on Bailiwick\./);

    const guest = await signUp(stack, email, 1);
    assertRefused(
      await stack.call('TenantInvitations_List', { Tenant }, guest.token),
      403,
      'permission_denied',
    );
    assert.deepEqual(bodyOf(await use.accept(token, guest.token)), {});
    // The roles and groups count with the reply.
    bodyOf(await stack.call('TenantInvitations_List', { Tenant }, guest.token));
    assert.equal(
      recordIn(
        await stack.call('Access_Check', { Tenant, Permission: 'app.notes.write' }, guest.token),
        'Allowed',
      ),
      true,
    );
    const members = await readList<{ UserID: string; Source: string }>(
      stack,
      'TenantMembers_List',
      { Tenant },
      ada.token,
    );
    assert.equal(members.items.find(({ UserID }) => UserID === guest.id)?.Source, 'invitation');
    const groups = await readList<{ Path: string }>(
      stack,
      'Groups_ListMemberGroups',
      { UserID: guest.id },
      guest.token,
    );
    assert.deepEqual(
      groups.items.map(({ Path }) => Path),
      ['eng/backend'],
    );
    const grants = await readList<{ Role: string; CreatedBy: string }>(
      stack,
      'Grants_List',
      { UserID: guest.id },
      guest.token,
    );
    assert.deepEqual(grants.items.map(({ Role, CreatedBy }) => `${Role} by ${CreatedBy}`).sort(), [
      `auditor by ${ada.id}`,
      `editor by ${ada.id}`,
    ]);

    const events = (await eventsOf(stack, 'access', Tenant)).slice(-6);
    assert.deepEqual(
      events.map(({ type }) => type).sort(),
      [
        'grant.added',
        'grant.added',
        'group.member_added',
        'invitation.accepted',
        'invitation.created',
        'tenant.member_added',
      ].sort(),
    );
    const accepted = events.find(({ type }) => type === 'invitation.accepted');
    assert.deepEqual(
      [accepted?.data['AcceptedBy'], accepted?.previous, accepted?.actor.id],
      [guest.id, { Status: 'pending', AcceptedBy: '' }, guest.id],
    );
    assert.deepEqual((await use.list(Tenant)).items, [accepted?.data]);
  });

  test('TenantInvitations_Create gives the default role, refuses members, and requires existing roles and groups', async () => {
    const { stack, use, ada, bob } = suite;
    const Tenant = await use.tenantOf(ada, {
      DefaultRole: 'auditor',
      InviteDomains: ['Example.com', 'bücher.example'],
    });
    await use.add(Tenant, bob, ada);
    const email = newGuest();
    await use.invite(Tenant, email, ada.token);
    await use.invite(Tenant, 'someone@xn--bcher-kva.example', ada.token);
    const [, first] = (await use.list(Tenant)).items;
    assert.deepEqual(
      [first?.Email, first?.Roles, first?.Groups, first?.InvitedBy, first?.AcceptedBy],
      [email, ['auditor'], [], ada.id, ''],
    );
    const days =
      (Date.parse(first?.ExpiresAt ?? '') - Date.parse(first?.CreatedAt ?? '')) / 86_400_000;
    assert.ok(Math.abs(days - 7) < 0.01);

    assertRefused(
      await use.create(Tenant, bob.email.toUpperCase(), ada.token),
      400,
      'already_exists',
      ['Email belongs to a member of the tenant'],
    );
    assertRefused(
      await use.create(Tenant, 'x@elsewhere.example', ada.token),
      400,
      'invalid_argument',
      [
        'Email must be an address at Example.com, bücher.example: the tenant does not invite other domains',
      ],
    );
    assertRefused(
      await use.create(Tenant, newGuest(), ada.token, { Roles: ['nothing'] }),
      400,
      'not_found',
      ['role not found'],
    );
    assertRefused(
      await use.create(Tenant, newGuest(), ada.token, { Groups: ['nowhere'] }),
      400,
      'not_found',
      ['group not found'],
    );
    assertRefused(
      await stack.call('TenantInvitations_Create', {}, ada.token),
      400,
      'invalid_argument',
      ['Tenant is required', 'Email is required'],
    );
    assertRefused(await use.create(Tenant, newGuest(), bob.token), 403, 'permission_denied');
    assert.equal(await countOf(stack, 'access.invitation where tenant = $1', [Tenant]), 2);
  });

  test('TenantInvitations_Create again renews the invitation: a new token, a new offer and a new week', async () => {
    const { stack, use, ada } = suite;
    const Tenant = await use.tenantOf(ada);
    const guest = await signUp(stack, newGuest());
    const first = await use.invite(Tenant, guest.email, ada.token);
    await rowsOf(
      stack,
      `update access.invitation set expires_at = now() + interval '1 minute' where tenant = $1`,
      [Tenant],
    );
    const second = await use.invite(Tenant, guest.email.toUpperCase(), ada.token, {
      Roles: ['auditor'],
    });
    const { items } = await use.list(Tenant);
    assert.equal(items.length, 1);
    assert.deepEqual(items[0]?.Roles, ['auditor']);
    assert.ok(Date.parse(items[0]?.ExpiresAt ?? '') > Date.now() + 6 * 86_400_000);
    assert.deepEqual(await use.eventTypes(Tenant), [
      'tenant.member_added',
      'invitation.created',
      'invitation.created',
    ]);
    const [, , again] = (await eventsOf(stack, 'access', Tenant)).filter(({ type }) =>
      /^(invitation|tenant\.member)/.test(type),
    );
    assert.deepEqual(again?.previous['Roles'], ['member']);
    assertRefused(await use.accept(first, guest.token), 400, 'failed_precondition', deadToken);
    assertRefused(await use.decline(first), 400, 'failed_precondition', deadToken);
    bodyOf(await use.accept(second, guest.token));
    assertRefused(await use.create(Tenant, guest.email, ada.token), 400, 'already_exists');
  });

  test('TenantInvitations_Accept needs the invited verified address and a live token', async () => {
    const { stack, use, ada, bob } = suite;
    const Tenant = await use.tenantOf(ada);
    const guest = await signUp(stack, newGuest());
    const token = await use.invite(Tenant, guest.email, ada.token);
    const text =
      'this invitation is for another address: sign in with the address that it was sent to';
    for (const { token: session } of [bob, ada])
      assertRefused(await use.accept(token, session), 403, 'permission_denied', [text]);
    assertRefused(await use.accept(token), 401, 'unauthenticated');
    assertRefused(await use.accept(token, stack.platformKey), 403, 'permission_denied');
    for (const junk of ['junk', createToken('invitation'), createToken('verify'), `${token}x`])
      for (const answer of [await use.accept(junk, guest.token), await use.decline(junk)])
        assertRefused(answer, 400, 'failed_precondition', deadToken);

    bodyOf(await use.accept(token, guest.token));
    bodyOf(await use.accept(token, guest.token));
    assertRefused(await use.accept(token, bob.token), 400, 'failed_precondition', deadToken);
    assertRefused(await use.decline(token), 400, 'failed_precondition', deadToken);
    assert.deepEqual((await use.eventTypes(Tenant)).slice(1), [
      'invitation.created',
      'invitation.accepted',
      'tenant.member_added',
    ]);
    // A member who was removed since cannot join again by the old token.
    bodyOf(await stack.call('TenantMembers_Remove', { Tenant, UserID: guest.id }, ada.token));
    assertRefused(await use.accept(token, guest.token), 400, 'failed_precondition', deadToken);
    assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [Tenant]), 1);
  });

  test('TenantInvitations_Decline and TenantInvitations_Delete end an invitation, once', async () => {
    const { stack, use, ada } = suite;
    const Tenant = await use.tenantOf(ada);
    const guest = await signUp(stack, newGuest());
    const declined = await use.invite(Tenant, guest.email, ada.token);
    for (let time = 0; time < 2; time++) assert.deepEqual(bodyOf(await use.decline(declined)), {});
    assertRefused(await use.accept(declined, guest.token), 400, 'failed_precondition', deadToken);
    const revoked = await use.invite(Tenant, guest.email, ada.token);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(bodyOf(await use.remove(Tenant, guest.email.toUpperCase(), ada.token)), {});
    for (const answer of [await use.accept(revoked, guest.token), await use.decline(revoked)])
      assertRefused(answer, 400, 'failed_precondition', deadToken);
    assert.deepEqual(await use.statuses(Tenant), ['revoked', 'declined']);
    const told = (await use.eventTypes(Tenant)).slice(1);
    assert.deepEqual(told, [
      'invitation.created',
      'invitation.declined',
      'invitation.created',
      'invitation.revoked',
    ]);
    assertRefused(await use.remove(Tenant, guest.email, guest.token), 403, 'permission_denied');
    bodyOf(await use.accept(await use.invite(Tenant, guest.email, ada.token), guest.token));
  });

  test('an invitation expires after its week, publishes one event, and can be sent again', async () => {
    const { stack, use, ada } = suite;
    const Tenant = await use.tenantOf(ada);
    const guest = await signUp(stack, newGuest());
    const [token, , renewed] = [
      await use.invite(Tenant, guest.email, ada.token),
      await use.invite(Tenant, newGuest(), ada.token),
      newGuest(),
    ];
    await use.invite(Tenant, renewed, ada.token);
    await rowsOf(
      stack,
      `update access.invitation set expires_at = now() - interval '1 second' where tenant = $1`,
      [Tenant],
    );
    // The token is dead, even before the sweeper marks the invitation.
    for (const answer of [await use.accept(token, guest.token), await use.decline(token)])
      assertRefused(answer, 400, 'failed_precondition', deadToken);
    assert.deepEqual(await use.statuses(Tenant), ['expired', 'expired', 'expired']);
    await use.invite(Tenant, renewed, ada.token);
    const count = async (type: string) =>
      (await use.eventTypes(Tenant)).filter((name) => name === type).length;
    await eventually('the sweeper', async () => (await count('invitation.expired')) === 3);
    const stored = await rowsOf<{ status: string }>(
      stack,
      'select status from access.invitation where tenant = $1 order by id',
      [Tenant],
    );
    assert.deepEqual(
      stored.map(({ status }) => status),
      ['expired', 'expired', 'expired', 'pending'],
    );
    const expired = (await eventsOf(stack, 'access', Tenant)).filter(
      ({ type }) => type === 'invitation.expired',
    );
    assert.deepEqual(new Set(expired.map(({ data }) => data['ID'])).size, 3);
    assert.deepEqual(expired[0]?.actor.type, 'system');
    bodyOf(await use.remove(Tenant, renewed, ada.token));
    assert.equal(await count('invitation.revoked'), 1);
  });
});
