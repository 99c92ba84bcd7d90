import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { eventually } from '../support/harness.ts';
import {
  login,
  mailTo,
  newAddress,
  password,
  signUp,
  tenantFor,
  tokenIn,
} from '../support/people.ts';
import { addTotp } from '../support/totp.ts';
import { startBrowser } from './browse.ts';
import { goThrough, loginUrl, oidcOf, ownDomain, saveProvider } from './home.ts';
import { type SocialStage, secret } from './social-stage.ts';
import { account } from './stage.ts';

// Tenants that refuse the sessions of social sign-ins, and that users join by their address.

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
    const listed = page.Items.find(({ ID }) => ID === tenant);
    assert.deepEqual(
      [listed?.Settings['AllowedMethods'], listed?.Settings['DefaultRole']],
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

  test('a social sign-in joins no tenant by the domain of its address before a mail reaches the user', async () => {
    const owner = await signUp(stack);
    const tenant = await tenantFor(stack, owner.id);
    const domain = await ownDomain(stack, { tenant, owner }, { Capture: 'join' });
    const suggested = async (token: string) =>
      recordIn(await stack.call('Domain_ListSuggestions', {}, token), 'Suggestions') as Array<{
        Tenant: string;
      }>;
    const isMember = async (token: string) =>
      (await account(stack, token)).Tenants.some(({ ID }) => ID === tenant);

    const email = `stale@${domain}`;
    const { token = '' } = await enter({ sub: 'v1', email });
    assert.equal((await account(stack, token)).User.Email, email);
    assert.deepEqual(await suggested(token), []);
    assertRefused(
      await stack.call('Domain_Join', { Tenant: tenant }, token),
      400,
      'failed_precondition',
    );
    // Neither does an administrator add such a user without consent.
    const pending = await enter({ sub: 'v3', email: `pending@${domain}` });
    const { ID: UserID } = (await account(stack, pending.token ?? '')).User;
    bodyOf(await stack.call('TenantMembers_Add', { Tenant: tenant, UserID }, owner.token));
    assert.equal(await isMember(pending.token ?? ''), false);

    // Neither does a provider with Google's preset and another issuer run the mail of the domain.
    const { op, provide, startOf } = stageOf();
    const posing = await provide('Posing', { Preset: 'google' });
    op.setAccount('v2', { email: `posing@${domain}`, email_verified: true, hd: domain });
    const posed = await goThrough(stack, startOf(posing), { login: 'v2' });
    assert.deepEqual(await suggested(posed.token ?? ''), []);

    // The owner of the mailbox takes the account over, and joins.
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
    const Token = tokenIn(await mailTo(stack, email));
    bodyOf(await stack.call('Account_ResetPassword', { Token, Password: password }));
    const fresh = String(bodyOf(await login(stack, email))['Token']);
    await eventually('the new member', () => isMember(fresh));
    assert.equal(await isMember(posed.token ?? ''), false);
    assertRefused(await stack.call('Account_Get', {}, token), 401, 'unauthenticated');
  });

  test('a tenant’s provider takes over the account that a social sign-in made for an address, unless it has a factor', async () => {
    const { op, home: createHome } = stageOf();
    const home = await createHome();
    const saved = await saveProvider(
      stack,
      home,
      { ...oidcOf(op.issuer), ClientID: 'takeover' },
      { Secret: secret },
    );
    op.setClient({ id: 'takeover', redirectUris: [saved.RedirectURI], secret });
    const signIn = (sub: string, email: string) => {
      op.setAccount(sub, { email, email_verified: true });
      return goThrough(stack, loginUrl(stack, saved), { login: sub });
    };
    const first = `first@${home.domain}`;
    const earlier = await enter({ sub: 'w1', email: first });
    const { ID } = (await account(stack, earlier.token ?? '')).User;
    const { token = '' } = await signIn('w2', first);
    assert.equal((await account(stack, token)).User.ID, ID);
    assertRefused(await stack.call('Account_Get', {}, earlier.token), 401, 'unauthenticated');
    assert.deepEqual(await stageOf().linksOf(ID, stack.platformKey), [saved.ID]);

    const second = `second@${home.domain}`;
    const person = await enter({ sub: 'w3', email: second });
    await addTotp(stack, person.token ?? '');
    assert.equal((await signIn('w4', second)).token, undefined);
    assert.equal((await account(stack, person.token ?? '')).User.Email, second);
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
