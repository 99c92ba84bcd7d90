import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { describeBoth } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { isReplayed, type KeyedCalls, keyed, startKeyedCalls } from './idempotency-calls.ts';

describeBoth('Idempotency-Key and its caller', (topology) => {
  let suite: KeyedCalls;
  before(async () => {
    suite = await startKeyedCalls(await sharedStack(topology));
  });
  after(() => suite?.stack.stop());

  test('callers do not share keys: another user, and another key of the same bot, make calls of their own', async () => {
    const { stack, ada, tenant, create } = suite;
    const bob = await signUp(stack);
    const key = randomUUID();
    const first = bodyOf(await create('shared', key));
    assertRefused(await create('shared', key, bob.token), 403, 'permission_denied', [
      'permission denied',
    ]);
    const bot = await createBot(stack, tenant, ada.token);
    bodyOf(
      await stack.call(
        'BotGrants_Add',
        { Grant: { Tenant: tenant, Bot: bot.ID, Role: 'admin' } },
        ada.token,
      ),
    );
    const secrets = [first['Secret']];
    for (const { Secret } of [
      await createKey(stack, bot, ada.token),
      await createKey(stack, bot, ada.token),
    ]) {
      const answer = await create('shared', key, Secret);
      assert.equal(isReplayed(answer), false);
      secrets.push(bodyOf(answer)['Secret']);
    }
    assert.equal(new Set(secrets).size, 3);
  });

  test('a caller who has lost the permission gets 403 and not the stored answer', async () => {
    const { stack, ada, tenant, create } = suite;
    const key = randomUUID();
    const bot = await createBot(stack, tenant, ada.token);
    const grant = { Grant: { Tenant: tenant, Bot: bot.ID, Role: 'admin' } };
    bodyOf(await stack.call('BotGrants_Add', grant, ada.token));
    const { Secret } = await createKey(stack, bot, ada.token);
    bodyOf(await create('revoked', key, Secret));
    bodyOf(await stack.call('BotGrants_Remove', grant, ada.token));
    assertRefused(await create('revoked', key, Secret), 403, 'permission_denied', [
      'permission denied',
    ]);
  });

  for (const area of ['Webhooks', 'Chat'] as const)
    test(`a retry of ${area}_UpdateEndpoint without a Tenant is refused once the permission is gone`, async () => {
      const { stack, ada, tenant, endpoint } = suite;
      const key = randomUUID();
      const member = await signUp(stack);
      const grant = { Grant: { Tenant: tenant, UserID: member.id, Role: 'admin' } };
      bodyOf(
        await stack.call('TenantMembers_Add', { Tenant: tenant, UserID: member.id }, ada.token),
      );
      bodyOf(await stack.call('TenantMembers_Accept', { Tenant: tenant }, member.token));
      bodyOf(await stack.call('Grants_Add', grant, ada.token));
      await tenantFor(stack, member.id);
      const { URL, ...rest } = endpoint(`updated ${area}`).Endpoint;
      const request = area === 'Chat' ? { Endpoint: rest, URL } : { Endpoint: { ...rest, URL } };
      const record = bodyOf(await stack.call(`${area}_CreateEndpoint`, request, ada.token))[
        'Endpoint'
      ] as Record<string, unknown>;
      const update = () => {
        const { Tenant: _tenant, ...Endpoint } = record;
        return stack.call(
          `${area}_UpdateEndpoint`,
          { Endpoint: { ...Endpoint, Name: 'renamed' } },
          member.token,
          keyed(key),
        );
      };
      const first = bodyOf(await update());
      const again = await update();
      assert.deepEqual([bodyOf(again), isReplayed(again)], [first, true]);
      bodyOf(await stack.call('Grants_Remove', grant, ada.token));
      assertRefused(await update(), 400, 'not_found');
    });
});
