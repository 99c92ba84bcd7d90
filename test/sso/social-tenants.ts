import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { login, newAddress, signUp, tenantFor } from '../support/people.ts';
import { startBrowser } from './browse.ts';
import type { SocialStage } from './social-stage.ts';
import { account } from './stage.ts';

// Tenants that refuse the sessions of social sign-ins.

type Mine = { Items: Array<{ ID: string; Settings: Record<string, unknown> }> };

/** `stageOf` is called after the suite has started it. */
export function testSocialTenants(stageOf: () => SocialStage): void {
  let stack: SocialStage['stack'];
  let enter: SocialStage['enter'];
  before(() => {
    ({ stack, enter } = stageOf());
  });

  const setMethods = (tenant: string, AllowedMethods: unknown, token = stack.platformKey) =>
    stack.call('Tenants_Update', { Tenant: { ID: tenant, Settings: { AllowedMethods } } }, token);
  const read = (Tenant: string, token: string) =>
    stack.call('Users_ListByTenant', { Tenant }, token);

  test('with AllowedMethods [account] a social session holds nothing in the tenant, from the reply on, and other sessions do', async () => {
    const owner = await signUp(stack);
    const tenant = await tenantFor(stack, owner.id);
    const other = await tenantFor(stack, owner.id);
    const browser = startBrowser();
    await enter({ sub: 't1', email: owner.email }, { browser });
    const fresh = String(bodyOf(await login(stack, owner.email))['Token']);
    bodyOf(await stageOf().link(fresh, browser));
    const { token = '' } = await enter({ sub: 't1', email: owner.email });
    bodyOf(await read(tenant, token));
    bodyOf(await setMethods(tenant, ['account'], fresh));
    const refused = await read(tenant, token);
    assertRefused(refused, 403, 'permission_denied', [
      'this organisation does not accept social sign-in',
    ]);
    bodyOf(await read(tenant, fresh));
    bodyOf(await read(other, token));
    const page = recordIn(await stack.call('Tenants_ListMine', {}, token), 'Page') as Mine;
    const seen = page.Items.find(({ ID }) => ID === tenant);
    assert.deepEqual(
      [seen?.Settings['AllowedMethods'], seen?.Settings['DefaultRole']],
      [['account'], ''],
    );
    const introspect = (Token: string) =>
      stack.call('Tokens_Introspect', { Token, Tenant: tenant }, stack.platformKey);
    assert.equal(bodyOf(await introspect(token))['Active'], false);
    assert.equal(bodyOf(await introspect(fresh))['Active'], true);
    bodyOf(await setMethods(tenant, [], fresh));
    bodyOf(await read(tenant, token));
    // Neither does a tenant that requires its own providers accept it.
    const sso = { ID: tenant, Settings: { RequireSso: true } };
    bodyOf(await stack.call('Tenants_Update', { Tenant: sso }, stack.platformKey));
    assertRefused(await read(tenant, token), 403, 'permission_denied');
  });

  test('AllowedMethods keeps the account’s own ways, and a social session does not exclude itself', async () => {
    const { token = '' } = await enter({ sub: 't2', email: newAddress('social-owner') });
    const tenant = await tenantFor(stack, (await account(stack, token)).User.ID);
    assertRefused(await setMethods(tenant, ['account'], token), 400, 'failed_precondition', [
      'Tenant.Settings.AllowedMethods can exclude social in a session that came another way',
    ]);
    bodyOf(await setMethods(tenant, ['account', 'social'], token));
    bodyOf(await read(tenant, token));
    for (const wrong of [['social'], ['password'], ['account', 'account'], ['account', '']])
      assertRefused(await setMethods(tenant, wrong, token), 400, 'invalid_argument');
  });
}
