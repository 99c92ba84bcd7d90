import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import { type Answer, describeBoth, type Stack } from '../../support/harness.ts';
import { deadToken, inviter, newGuest, type Person } from '../../support/invitations.ts';
import { mailTo, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, dumpOf, eventsOf, rowsOf } from '../../support/store.ts';

// The rights that an invitation may give, and the outcome of concurrent calls for one invitation.

describeBoth('the rights and races of invitations', (topology) => {
  let stack: Stack;
  let use: ReturnType<typeof inviter>;
  let ada: Person;
  let bob: Person;
  let guest: Person;
  before(async () => {
    stack = await sharedStack(topology);
    use = inviter(stack);
    [ada, bob, guest] = await Promise.all([
      signUp(stack),
      signUp(stack),
      signUp(stack, newGuest()),
    ]);
  });
  after(() => stack?.stop());

  /** A tenant of Ada's in which Bob is an admin. */
  async function tenantWithAdmin(): Promise<string> {
    const Tenant = await use.tenantOf(ada);
    await use.add(Tenant, bob, ada, 'admin');
    return Tenant;
  }
  const ownersGroup = async (Tenant: string) => {
    for (const Path of ['top', 'top/low'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, ada.token));
    bodyOf(
      await stack.call(
        'GroupGrants_Add',
        { Grant: { Tenant, Group: 'top', Role: 'owner' } },
        ada.token,
      ),
    );
  };
  const rolesOf = async (Tenant: string, { id }: Person) =>
    (
      await rowsOf<{ role: string }>(
        stack,
        'select role from access.grant_entry where tenant = $1 and subject = $2',
        [Tenant, id],
      )
    ).map(({ role }) => role);
  const isMember = async (Tenant: string) =>
    (await countOf(stack, 'access.tenant_member where tenant = $1 and user_id = $2', [
      Tenant,
      guest.id,
    ])) === 1;

  test('TenantInvitations_Create grants no more than the caller holds, by roles or by groups and their ancestors', async () => {
    const Tenant = await tenantWithAdmin();
    await ownersGroup(Tenant);
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: 'deleter', Permissions: ['iam.tenant.delete'] } },
        ada.token,
      ),
    );
    for (const offer of [
      { Roles: ['owner'] },
      { Roles: ['member', 'deleter'] },
      { Groups: ['top'] },
      { Groups: ['top/low'] },
    ])
      assertRefused(
        await use.create(Tenant, guest.email, bob.token, offer),
        403,
        'permission_denied',
      );
    assert.equal(await countOf(stack, 'access.invitation where tenant = $1', [Tenant]), 0);
    // An admin does not get an owner's invitation by sending it again.
    const token = await use.invite(Tenant, guest.email, ada.token, { Roles: ['owner'] });
    assertRefused(
      await use.create(Tenant, guest.email, bob.token, { Roles: ['owner'] }),
      403,
      'permission_denied',
    );
    bodyOf(await use.accept(token, guest.token));
    assert.deepEqual(await rolesOf(Tenant, guest), ['owner']);
    const other = await use.tenantOf(ada);
    bodyOf(
      await use.accept(
        await use.invite(other, guest.email, stack.platformKey, { Roles: ['owner'] }),
        guest.token,
      ),
    );
    assert.deepEqual(await rolesOf(other, guest), ['owner']);
  });

  test('TenantInvitations_Accept gives no roles or groups that the inviter can no longer grant', async () => {
    const text = ['the inviter can no longer grant the invited roles: ask for a new invitation'];
    const refused = async (Tenant: string, token: string) => {
      assertRefused(await use.accept(token, guest.token), 400, 'failed_precondition', text);
      assert.equal(await isMember(Tenant), false);
      assert.deepEqual(await use.statuses(Tenant), ['pending']);
    };
    const removed = await tenantWithAdmin();
    const first = await use.invite(removed, guest.email, bob.token, { Roles: ['admin'] });
    bodyOf(
      await stack.call('TenantMembers_Remove', { Tenant: removed, UserID: bob.id }, ada.token),
    );
    await refused(removed, first);

    const lesser = await tenantWithAdmin();
    const second = await use.invite(lesser, guest.email, bob.token);
    const grant = { Grant: { Tenant: lesser, UserID: bob.id, Role: 'admin' } };
    bodyOf(await stack.call('Grants_Remove', grant, ada.token));
    await refused(lesser, second);
    bodyOf(await stack.call('Grants_Add', grant, ada.token));
    bodyOf(await use.accept(second, guest.token));

    // A group that has gained grants since is refused as well.
    const grown = await tenantWithAdmin();
    bodyOf(
      await stack.call('Groups_Save', { Group: { Tenant: grown, Path: 'top/low' } }, ada.token),
    );
    const third = await use.invite(grown, guest.email, bob.token, { Groups: ['top/low'] });
    await ownersGroup(grown);
    await refused(grown, third);
    const fourth = await use.invite(grown, guest.email, ada.token, { Groups: ['top/low'] });
    bodyOf(await use.accept(fourth, guest.token));
  });

  test('TenantInvitations_Accept skips a deleted group, and a new group of the same path', async () => {
    const Tenant = await use.tenantOf(ada);
    for (const Path of ['eng', 'ops'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path } }, ada.token));
    const token = await use.invite(Tenant, guest.email, ada.token, { Groups: ['eng', 'ops'] });
    bodyOf(await stack.call('Groups_Delete', { Tenant, Path: 'eng' }, ada.token));
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'eng' } }, ada.token));
    bodyOf(await use.accept(token, guest.token));
    const events = (await eventsOf(stack, 'access', Tenant)).filter(
      ({ type }) => type === 'group.member_added',
    );
    assert.deepEqual(
      events.map(({ data }) => data['Group']),
      ['ops'],
    );
    assert.equal(await countOf(stack, 'access.group_member where tenant = $1', [Tenant]), 1);
  });

  test('Roles_Delete refuses a role that a pending invitation names, and TenantInvitations_Accept skips a missing role', async () => {
    const Tenant = await use.tenantOf(ada);
    for (const Slug of ['editor', 'reader'])
      bodyOf(
        await stack.call(
          'Roles_Save',
          { Role: { Tenant, Slug, Permissions: ['app.read'] } },
          ada.token,
        ),
      );
    const token = await use.invite(Tenant, guest.email, ada.token, { Roles: ['editor', 'reader'] });
    const remove = (Slug: string) => stack.call('Roles_Delete', { Tenant, Slug }, ada.token);
    assertRefused(await remove('editor'), 400, 'failed_precondition', [
      'a pending invitation names the role',
    ]);
    await rowsOf(stack, `delete from access.role_entry where tenant = $1 and slug = 'reader'`, [
      Tenant,
    ]);
    bodyOf(await use.accept(token, guest.token));
    assert.deepEqual(await rolesOf(Tenant, guest), ['editor']);

    const email = newGuest();
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant, Slug: 'passing', Permissions: ['app.read'] } },
        ada.token,
      ),
    );
    await use.invite(Tenant, email, ada.token, { Roles: ['passing'] });
    bodyOf(await use.remove(Tenant, email, ada.token));
    bodyOf(await remove('passing'));
  });

  test('TenantInvitations_Accept adds rights to a member who joined another way, and does not admit a disabled member', async () => {
    const Tenant = await use.tenantOf(ada);
    const token = await use.invite(Tenant, guest.email, ada.token, { Roles: ['auditor'] });
    await use.add(Tenant, guest, ada);
    bodyOf(await use.accept(token, guest.token));
    assert.deepEqual((await rolesOf(Tenant, guest)).sort(), ['auditor', 'member']);
    assert.deepEqual((await use.eventTypes(Tenant)).slice(1), [
      'invitation.created',
      'tenant.member_added',
      'invitation.accepted',
    ]);

    const other = await use.tenantOf(ada);
    const second = await use.invite(other, guest.email, ada.token);
    await use.add(other, guest, ada);
    await rowsOf(
      stack,
      `update access.tenant_member set status = 'disabled' where tenant = $1 and user_id = $2`,
      [other, guest.id],
    );
    assertRefused(await use.accept(second, guest.token), 400, 'failed_precondition', deadToken);

    const leaving = await signUp(stack, newGuest());
    const third = await use.invite(other, leaving.email, ada.token);
    await rowsOf(
      stack,
      `insert into access.subject_state (subject, state, since, changed_at) values ($1, 'deleted', now(), now())`,
      [leaving.id],
    );
    assertRefused(await use.accept(third, leaving.token), 400, 'failed_precondition', deadToken);
  });

  test('TenantInvitations_Accept called 200 times at once makes one member and one event', async () => {
    const Tenant = await use.tenantOf(ada);
    const token = await use.invite(Tenant, guest.email, ada.token);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => retryWhileBusy(() => use.accept(token, guest.token))),
    );
    for (const answer of answers) assert.deepEqual(bodyOf(answer), {});
    assert.equal(await isMember(Tenant), true);
    assert.deepEqual((await use.eventTypes(Tenant)).slice(1), [
      'invitation.created',
      'invitation.accepted',
      'tenant.member_added',
    ]);
    assert.deepEqual(await rolesOf(Tenant, guest), ['member']);
  });

  test('TenantInvitations_Create called 100 times at once leaves one pending invitation and one working token', async () => {
    const Tenant = await use.tenantOf(ada);
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        retryWhileBusy(() => use.create(Tenant, guest.email, ada.token)),
      ),
    );
    const tokens = answers.map((answer) => String(bodyOf(answer)['Token']));
    assert.equal(await countOf(stack, 'access.invitation where tenant = $1', [Tenant]), 1);
    const accepted: Answer[] = [];
    for (const token of tokens) accepted.push(await use.accept(token, guest.token));
    assert.equal(accepted.filter(({ status }) => status === 200).length, 1);
    assert.equal(accepted.filter(({ body }) => body.Messages?.[0] === deadToken[0]).length, 99);
  });

  test('of TenantInvitations_Accept, _Decline and _Delete at once, one succeeds, and the store has its state', async () => {
    for (let round = 0; round < 6; round++) {
      const Tenant = await use.tenantOf(ada);
      const token = await use.invite(Tenant, guest.email, ada.token);
      const calls = Array.from({ length: 15 }, (_, index) =>
        retryWhileBusy(
          () =>
            [
              use.accept(token, guest.token),
              use.decline(token),
              use.remove(Tenant, guest.email, ada.token),
            ][(index + round) % 3] as Promise<Answer>,
        ),
      );
      for (const { status, body } of await Promise.all(calls))
        assert.ok(status === 200 || body.Messages?.[0] === deadToken[0], JSON.stringify(body));
      const [status = ''] = await use.statuses(Tenant);
      const told = (await use.eventTypes(Tenant)).slice(1);
      assert.deepEqual(told, [
        'invitation.created',
        `invitation.${status}`,
        ...(status === 'accepted' ? ['tenant.member_added'] : []),
      ]);
      assert.equal(await isMember(Tenant), status === 'accepted');
    }
  });

  test('the token of an invitation is not stored in the database, an event, the broker or a log', async () => {
    const Tenant = await use.tenantOf(ada);
    const email = newGuest();
    const token = await use.invite(Tenant, email, ada.token);
    await mailTo(stack, email);
    const person = await signUp(stack, email, 1);
    bodyOf(await use.accept(token, person.token));
    const places = {
      database: (
        await Promise.all(
          ['identity', 'access', 'notifications'].map((schema) => dumpOf(stack, schema)),
        )
      ).join('\n'),
      broker: textBelow(path.join(stack.folder, 'nats')),
      logs: textBelow(path.join(stack.folder, 'logs')),
    };
    assert.ok(
      places.database.includes(email) &&
        places.broker.includes(email) &&
        places.logs.includes('TenantInvitations_Create'),
      'the places are searched',
    );
    for (const [place, text] of Object.entries(places))
      assert.ok(!text.includes(token.slice(5, 40)), place);
  });
});

function textBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .map((file) => readFileSync(path.join(file.parentPath, file.name), 'latin1'))
    .join('\n');
}
