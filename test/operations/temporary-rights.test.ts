import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { newAddress, signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

describeOne('temporary rights', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });

  test('a right that ends is passed on until its end at the latest, on every path', async () => {
    const owner = await signUp(stack);
    const Tenant = await tenantFor(stack, owner.id);
    const call = (operation: string, request: object, token: string) =>
      stack.call(operation, request, token);
    const join = async () => {
      const member = await signUp(stack);
      bodyOf(await call('TenantMembers_Add', { Tenant, UserID: member.id }, stack.platformKey));
      return member;
    };
    const [temporary, friend] = [await join(), await join()];
    const end = Date.now() + 3_600_000;
    const ExpiresAt = new Date(end).toISOString();
    const own = { Tenant, UserID: temporary.id, Role: 'admin', ExpiresAt };
    bodyOf(await call('Grants_Add', { Grant: own }, owner.token));
    const bot = await createBot(stack, Tenant, owner.token);
    const group = { Tenant, Path: 'admins' };
    bodyOf(await call('Groups_Save', { Group: group }, owner.token));
    const groupGrant = { Tenant, Group: 'admins', Role: 'admin' };
    bodyOf(await call('GroupGrants_Add', { Grant: groupGrant }, owner.token));
    bodyOf(await call('Groups_Save', { Group: { Tenant, Path: 'empty' } }, owner.token));

    const later = new Date(end + 1000).toISOString();
    const toFriend = { Tenant, UserID: friend.id, Role: 'admin' };
    const refused: Array<[string, object]> = [
      ['Grants_Add', { Grant: toFriend }],
      ['Grants_Add', { Grant: { ...toFriend, ExpiresAt: later } }],
      ['Grants_Add', { Grant: { ...own, ExpiresAt: later } }],
      ['GroupGrants_Add', { Grant: { ...groupGrant, Group: 'empty' } }],
      ['BotGrants_Add', { Grant: { Tenant, Bot: bot.ID, Role: 'admin' } }],
      ['Groups_AddMember', { Tenant, Group: 'admins', UserID: friend.id }],
      ['Roles_Save', { Role: { Tenant, Slug: 'keeper', Permissions: ['iam.grants.write'] } }],
      ['TenantInvitations_Create', { Tenant, Email: newAddress(), Roles: ['admin'] }],
      ['Apps_Save', { App: { Tenant, Kind: 'service', Name: 'a', Scopes: ['iam.users.write'] } }],
    ];
    for (const [operation, request] of refused) {
      const answer = await call(operation, request, temporary.token);
      assertRefused(answer, 403, 'permission_denied');
      assert.equal(answer.body['Reason'], 'TEMPORARY_RIGHT', operation);
      assert.ok(String(answer.body['Message']).includes(ExpiresAt), operation);
    }
    const changes = [{ Grants_Add: { Grant: toFriend } }];
    const planned = bodyOf(
      await call('Access_Plan', { Tenant, Changes: changes }, temporary.token),
    );
    assert.match(JSON.stringify(planned['Warnings']), /until then at the latest/);

    bodyOf(await call('Grants_Add', { Grant: { ...toFriend, ExpiresAt } }, temporary.token));
    // The membership has no end, and so has the right of a member.
    const member = { Tenant, Email: newAddress(), Roles: ['member'] };
    bodyOf(await call('TenantInvitations_Create', member, temporary.token));
  });
});
