import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { settledStack } from '../../support/shared.ts';
import { countActive, newMembership, tokenEndings } from '../../support/token-endings.ts';

// Identity caches active tokens for two seconds. A change that makes one inactive ends that. The races
// of the long lane repeat this with two replicas and more calls.
const atOnce = 40;

describeOne('introspection', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await settledStack(topology);
  });
  after(() => stack?.stop());

  const call = (operation: string, body: object, token = stack.platformKey) =>
    stack.call(operation, body, token);
  const introspect = (Token: string, Tenant: string) =>
    call('Tokens_Introspect', { Token, Tenant });

  for (const [name, prepare] of Object.entries(tokenEndings))
    test(`${name}: none of the later introspections finds the token active`, async () => {
      const { token, tenant, end } = await prepare(call);
      const active = await countActive(() => introspect(token, tenant), end, atOnce);
      assert.deepEqual(active, { before: atOnce, after: 0 });
    });

  test('TenantMembers_Disable and _Remove make a token inactive with the reply, and _Enable and _Add active', async () => {
    const { tenant, token, membership } = await newMembership(call);
    for (const [end, undo] of [
      ['TenantMembers_Disable', 'TenantMembers_Enable'],
      ['TenantMembers_Remove', 'TenantMembers_Add'],
    ] as const) {
      const active = await countActive(
        () => introspect(token, tenant),
        () => call(end, membership),
        atOnce,
      );
      assert.deepEqual(active, { before: atOnce, after: 0 });
      assert.equal(bodyOf(await introspect(token, ''))['Active'], true, 'active elsewhere');
      bodyOf(await call(undo, membership));
      assert.equal(bodyOf(await introspect(token, tenant))['Active'], true);
    }
  });

  test('Tenants_Update with a shorter session shortens ExpiresAt with the reply', async () => {
    const { tenant, token } = await newMembership(call);
    const expiry = async () =>
      new Date(String(bodyOf(await introspect(token, tenant))['ExpiresAt'])).getTime() - Date.now();
    assert.ok((await expiry()) > 86_400_000);
    const Tenant = { ID: tenant, Settings: { SessionMaxMinutes: 60 } };
    bodyOf(await call('Tenants_Update', { Tenant }));
    assert.ok((await expiry()) < 3_600_000);
  });

  test('a key that expires while it is cached is inactive at that moment', async () => {
    const { token, tenant } = await (
      tokenEndings['Bots_Delete'] as NonNullable<(typeof tokenEndings)[string]>
    )(call);
    const { ID } = bodyOf(await introspect(token, tenant)) as { ID: string };
    const ends = Date.now() + 1500;
    const ExpiresAt = new Date(ends).toISOString();
    bodyOf(await call('BotKeys_SetExpiration', { Tenant: tenant, ID, ExpiresAt }));
    for (;;) {
      const began = Date.now();
      const active = bodyOf(await introspect(token, tenant))['Active'];
      if (began > ends) {
        assert.equal(active, false);
        return;
      }
    }
  });
});
