import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, type NewKey } from '../../support/bots.ts';
import { newName } from '../../support/domains.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { newAddress, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

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

  test('a key, a trust, a provider and a domain rest on a right that ends until its end at the latest', async () => {
    const owner = await signUp(stack);
    const Tenant = await tenantFor(stack, owner.id);
    const temporary = await signUp(stack);
    const call = (operation: string, request: object, token = temporary.token) =>
      stack.call(operation, request, token);
    const join = { Tenant, UserID: temporary.id };
    bodyOf(await call('TenantMembers_Add', join, stack.platformKey));
    const end = Date.now() + 3_600_000;
    const ExpiresAt = new Date(end).toISOString();
    const own = { Tenant, UserID: temporary.id, Role: 'admin', ExpiresAt };
    bodyOf(await call('Grants_Add', { Grant: own }, owner.token));
    const bot = await createBot(stack, Tenant, owner.token);
    const botGrant = { Tenant, Bot: bot.ID, Role: 'admin' };
    bodyOf(await call('BotGrants_Add', { Grant: botGrant }, owner.token));
    const key = { Tenant, Bot: bot.ID, Name: 'deploy' };
    const later = new Date(end + 1000).toISOString();
    const isRefused = async (operation: string, request: object, token?: string) => {
      const answer = await call(operation, request, token);
      assertRefused(answer, 403, 'permission_denied');
      assert.equal(answer.body['Reason'], 'TEMPORARY_RIGHT', operation);
      assert.ok(String(answer.body['Message']).includes(ExpiresAt), operation);
    };
    const lasting = bodyOf(await call('BotKeys_Create', key, owner.token)) as NewKey;
    const extended = { Tenant, ID: lasting.Key.ID };
    const inHalfAYear = new Date(end + 180 * 86_400_000).toISOString();

    await isRefused('BotKeys_Create', key);
    await isRefused('BotKeys_Create', { ...key, ExpiresAt: later });
    await isRefused('BotKeys_Rotate', extended);
    await isRefused('BotKeys_SetExpiration', { ...extended, ExpiresAt: inHalfAYear });
    const trust = {
      Tenant,
      Bot: bot.ID,
      Issuer: 'https://token.example',
      Audience: 'bailiwick',
      Subject: 'repo:acme/app:*',
    };
    await isRefused('BotTrusts_Save', { Trust: trust });
    const Provider = {
      Tenant,
      Kind: 'oidc',
      Name: 'p',
      Issuer: `${stack.inboxUrl}/hooks/op`,
      ClientID: 'temporary',
      TokenAuthMethod: 'none',
    };
    const mapping = [{ Value: 'ops', Group: '', Role: 'admin' }];
    await isRefused('Domain_Create', { Tenant, Name: newName(), DefaultRole: 'admin' });
    await isRefused('Sso_SaveProvider', { Provider: { ...Provider, DefaultRoles: ['admin'] } });
    await isRefused('Sso_SaveProvider', { Provider: { ...Provider, GroupMappings: mapping } });
    bodyOf(await call('Sso_SaveProvider', { Provider: { ...Provider, DefaultRoles: ['member'] } }));

    const newKey = bodyOf(await call('BotKeys_Create', { ...key, ExpiresAt })) as NewKey;
    const ID = newKey.Key.ID;
    await isRefused('BotKeys_SetExpiration', { Tenant, ID, ExpiresAt: later });
    // The bot has its own right for ever, but not by this key.
    await isRefused('BotKeys_SetExpiration', { Tenant, ID, ExpiresAt: later }, newKey.Secret);
    await isRefused('BotKeys_Create', { ...key, ExpiresAt: later }, newKey.Secret);
    await isRefused('BotKeys_Rotate', { Tenant, ID, ExpiresAt: later }, newKey.Secret);
    const rotated = bodyOf(await call('BotKeys_Rotate', { Tenant, ID }, newKey.Secret)) as NewKey;
    assert.equal(Date.parse(rotated.Key.ExpiresAt), end, 'the own rotation keeps the end');
    const again = { Tenant, ID: rotated.Key.ID };
    await isRefused('BotKeys_SetExpiration', { ...again, ExpiresAt: later }, rotated.Secret);
    // Who holds the right for ever lifts the limit.
    const lifted = { ...again, ExpiresAt: later };
    bodyOf(await call('BotKeys_SetExpiration', lifted, owner.token));
    bodyOf(
      await call('BotKeys_SetExpiration', { ...again, ExpiresAt: inHalfAYear }, rotated.Secret),
    );
    // An earlier end needs no right to grant.
    const earlier = new Date(end - 1000).toISOString();
    bodyOf(await call('BotKeys_SetExpiration', { ...extended, ExpiresAt: earlier }));
  });
});
