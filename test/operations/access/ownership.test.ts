import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { createTenant, mailsTo, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, eventTypesOf, rowsOf } from '../../support/store.ts';

// Ownership that others give to a member binds the member only once it is accepted.

describeOne('ownership', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  type Person = Awaited<ReturnType<typeof signUp>>;
  const platform = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, stack.platformKey));
  const makeOwner = async (Tenant: string, { id: UserID }: Person, token: string) => {
    await platform('TenantMembers_Add', { Tenant, UserID });
    bodyOf(await stack.call('Grants_Add', { Grant: { Tenant, UserID, Role: 'owner' } }, token));
  };
  const leave = (Tenant: string, { id: UserID, token }: Person) =>
    stack.call('TenantMembers_Remove', { Tenant, UserID }, token);
  const isPending = async (Tenant: string, { token }: Person) => {
    type Mine = { ID: string; OwnershipPending?: boolean };
    const { items } = await readList<Mine>(stack, 'Tenants_ListMine', {}, token);
    return items.find(({ ID }) => ID === Tenant)?.OwnershipPending;
  };
  const rename = (Tenant: string, token: string) =>
    stack.call('Tenants_Update', { Tenant: { ID: Tenant, Name: 'Renamed' } }, token);

  test('an owner who was not asked is no other owner for the last one, before accepting', async () => {
    const [ada, bob] = [await signUp(stack), await signUp(stack)];
    const tenant = await createTenant(stack, ada.token);
    await makeOwner(tenant, bob, ada.token);
    const mail = await eventually('the mail', async () =>
      (await mailsTo(stack, bob.email)).find(({ Subject }) => Subject === 'You were made an owner'),
    );
    assert.match(mail.Text, /Acme/);
    assert.deepEqual([await isPending(tenant, ada), await isPending(tenant, bob)], [false, true]);
    // The rights are there at once.
    bodyOf(await rename(tenant, bob.token));
    assertRefused(await leave(tenant, ada), 400, 'failed_precondition', [
      'the last owner of a tenant cannot be removed',
    ]);
    assertRefused(
      await stack.call('TenantMembers_Remove', { Tenant: tenant, UserID: ada.id }, bob.token),
      400,
      'failed_precondition',
    );
    for (let repeat = 0; repeat < 2; repeat++)
      bodyOf(await stack.call('TenantMembers_Accept', { Tenant: tenant }, bob.token));
    assert.equal(await isPending(tenant, bob), false);
    const types = await eventTypesOf(stack, 'access', tenant);
    assert.equal(types.filter((type) => type === 'tenant.ownership_accepted').length, 1);
    bodyOf(await leave(tenant, ada));
    assertRefused(await leave(tenant, bob), 400, 'failed_precondition');
  });

  test('an owner who has not accepted can leave, delete the account or decline', async () => {
    const [ada, bob, carol] = [await signUp(stack), await signUp(stack), await signUp(stack)];
    const [abandoned, deleted] = [await tenantFor(stack, ada.id), await tenantFor(stack, bob.id)];
    bodyOf(await leave(abandoned, ada));
    bodyOf(await stack.call('Users_Delete', { UserID: bob.id }, bob.token));
    await eventually(
      'the membership to end',
      async () => (await countOf(stack, 'access.tenant_member where tenant = $1', [deleted])) === 0,
    );
    const declined = await tenantFor(stack, carol.id);
    for (let repeat = 0; repeat < 2; repeat++) {
      const { status } = await stack.call(
        'TenantMembers_Decline',
        { Tenant: declined },
        carol.token,
      );
      assert.equal(status, repeat === 0 ? 200 : 403);
    }
    assert.equal(await countOf(stack, 'access.tenant_member where tenant = $1', [declined]), 1);
    assert.equal(await countOf(stack, 'access.grant_entry where tenant = $1', [declined]), 0);
    const question = { Tenant: declined, Permission: 'iam.tenant.delete' };
    assert.equal(
      recordIn(await stack.call('Access_Check', question, carol.token), 'Allowed'),
      false,
    );
  });

  test('an owner who has accepted cannot take it back by declining', async () => {
    const ada = await signUp(stack);
    const tenant = await createTenant(stack, ada.token);
    assertRefused(
      await stack.call('TenantMembers_Decline', { Tenant: tenant }, ada.token),
      403,
      'permission_denied',
    );
    assert.equal(await isPending(tenant, ada), false);
    assertRefused(await leave(tenant, ada), 400, 'failed_precondition');
  });

  test('a tenant without an owner has frozen settings until the platform names one', async () => {
    const [ada, admin, next] = [await signUp(stack), await signUp(stack), await signUp(stack)];
    const tenant = await tenantFor(stack, ada.id);
    await platform('TenantMembers_Add', { Tenant: tenant, UserID: admin.id });
    const Grant = { Tenant: tenant, UserID: admin.id, Role: 'admin' };
    bodyOf(await stack.call('Grants_Add', { Grant }, ada.token));
    bodyOf(await rename(tenant, admin.token));
    bodyOf(await leave(tenant, ada));
    assertRefused(await rename(tenant, admin.token), 400, 'failed_precondition', [
      'the tenant has no owner: the platform must add one first',
    ]);
    bodyOf(await rename(tenant, stack.platformKey));
    await makeOwner(tenant, next, stack.platformKey);
    bodyOf(await rename(tenant, admin.token));
    bodyOf(await stack.call('TenantMembers_Accept', { Tenant: tenant }, next.token));
    assertRefused(await leave(tenant, next), 400, 'failed_precondition');
  });

  test('the mails of a tenant without an owner go to the owners of the platform', async () => {
    const [ada, operator] = [await signUp(stack), await signUp(stack)];
    const tenant = await tenantFor(stack, ada.id);
    const Grant = { Platform: true, UserID: operator.id, Role: 'platform-owner' };
    await platform('Grants_Add', { Grant });
    try {
      const bot = await stack.call('Bots_Save', { Bot: { Tenant: tenant, Name: 'b' } }, ada.token);
      const { ID: Bot } = recordIn(bot, 'Bot') as { ID: string };
      bodyOf(await leave(tenant, ada));
      await platform('BotKeys_Create', { Tenant: tenant, Bot, Name: 'k' });
      await rowsOf(
        stack,
        `update identity.bot_key set expires_at = now() + interval '2 days', notice_at = now() where tenant = $1`,
        [tenant],
      );
      await eventually('the mail', async () =>
        (await mailsTo(stack, operator.email)).some(({ Text }) => Text.includes('“k”')),
      );
    } finally {
      await platform('Grants_Remove', { Grant });
    }
  });
});
