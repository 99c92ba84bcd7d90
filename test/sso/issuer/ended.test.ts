import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { createApp, errorOf, relyOn, signInWith } from './stage.ts';

// The end of a sign-in ends its next refresh. Each refresh asks for the rights of the person.

type SignedIn = { id: string; email: string; sid: string; tenant: string; owner: string };

describeOne('the next refresh of an app', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const platform = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, stack.platformKey));
  const require = (Settings: object) => (tenant: string) =>
    platform('Tenants_Update', { Tenant: { ID: tenant, Settings } });

  /** A member of a tenant who has signed in to an app of it. */
  async function signedIn() {
    const [owner, person] = await Promise.all([signUp(stack), signUp(stack)]);
    const tenant = await tenantFor(stack, owner.id);
    await platform('TenantMembers_Add', { Tenant: tenant, UserID: person.id });
    const app = await createApp(stack, { Tenant: tenant }, owner.token);
    const config = await relyOn(stack, app);
    const { tokens } = await signInWith(stack, config, person.token);
    const sid = tokens.claims()?.['sid'] as string;
    return { config, tokens, one: { ...person, sid, tenant, owner: owner.token } };
  }

  const ends: Record<string, (one: SignedIn) => Promise<unknown>> = {
    'its session is revoked': async ({ email, sid }) => {
      const other = String(bodyOf(await login(stack, email))['Token']);
      bodyOf(await stack.call('Sessions_Revoke', { ID: sid }, other));
    },
    'the user is disabled': ({ id }) => platform('Users_Disable', { UserID: id }),
    'the user is deleted': ({ id }) => platform('Users_Delete', { UserID: id }),
    'the member is removed': async ({ id, tenant, owner }) =>
      bodyOf(await stack.call('TenantMembers_Remove', { Tenant: tenant, UserID: id }, owner)),
    'the tenant requires a second factor': ({ tenant }) =>
      require({ RequireFactor: 'any' })(tenant),
    'the tenant requires single sign-on': ({ tenant }) => require({ RequireSso: true })(tenant),
    'the tenant is suspended': ({ tenant }) => platform('Tenants_Suspend', { Tenant: tenant }),
  };

  for (const [title, end] of Object.entries(ends))
    test(`fails as soon as ${title}, and so do userinfo and introspection`, async () => {
      const { config, tokens, one } = await signedIn();
      const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await end(one);
      const refused = await errorOf(client.refreshTokenGrant(config, next.refresh_token ?? ''));
      assert.equal(refused, 'invalid_grant');
      const error = await errorOf(client.fetchUserInfo(config, next.access_token, one.id));
      assert.equal(error, 'invalid_token');
      assert.equal((await client.tokenIntrospection(config, next.access_token)).active, false);
    });

  test('succeeds 200 times at once for 200 sign-ins, each with tokens of its own', async () => {
    const person = await signUp(stack);
    const config = await relyOn(stack, await createApp(stack));
    const refreshTokens: string[] = [];
    for (let round = 0; round < 20; round++) {
      const some = Array.from({ length: 10 }, () => signInWith(stack, config, person.token));
      for (const { tokens } of await Promise.all(some))
        refreshTokens.push(tokens.refresh_token ?? '');
    }
    const renewed = await Promise.all(
      refreshTokens.map((token) => client.refreshTokenGrant(config, token)),
    );
    const all = [...refreshTokens, ...renewed.map((tokens) => tokens.refresh_token)];
    assert.equal(new Set(all).size, 400);
    const again = await Promise.all(
      renewed.map((tokens) => client.refreshTokenGrant(config, tokens.refresh_token ?? '')),
    );
    assert.equal(new Set(again.map((tokens) => tokens.access_token)).size, 200);
  });
});
