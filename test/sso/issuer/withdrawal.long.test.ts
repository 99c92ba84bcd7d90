import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { type Stack, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { eventsOf } from '../../support/store.ts';
import { ask, createApp, exchange, relyOn } from './stage.ts';
import { startVisitor } from './visitor.ts';

// A signing key has leaked. The stack is the test's own, whose tokens it ends.

describe('Keys_Rotate with WithdrawSigningKeys', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  const kids = async (): Promise<string[]> => {
    const { keys } = (await (await fetch(`${stack.url}/oauth/jwks`)).json()) as {
      keys: Array<{ kid: string }>;
    };
    return keys.map(({ kid }) => kid);
  };

  test('ends every token of the old keys with the reply, and no session', async () => {
    const ada = await signUp(stack);
    const Tenant = await createTenant(stack, ada.token);
    const app = await createApp(stack, {
      Scopes: ['openid', 'offline_access', 'account'],
      Resources: [stack.url],
    });
    const config = await relyOn(stack, app);
    const over = { scope: 'openid offline_access account', resource: stack.url, tenant: Tenant };
    const request = await ask(config, over);
    const arrival = await startVisitor(stack, ada.token).open(request.url);
    const tokens = await exchange(config, request, arrival, { resource: stack.url });
    const open = async (token: string) => (await stack.call('Account_Get', {}, token)).status;
    assert.equal(await open(tokens.access_token), 200);
    const old = await kids();

    let isDone = false;
    const withdrawal = stack
      .call('Keys_Rotate', { WithdrawSigningKeys: true }, stack.platformKey)
      .finally(() => (isDone = true));
    // Gateways cache the state of a token in use.
    while (!isDone) await open(tokens.access_token);
    bodyOf(await withdrawal);
    const after = await Promise.all(Array.from({ length: 200 }, () => open(tokens.access_token)));
    assert.deepEqual([...new Set(after)], [401]);

    assert.ok((await kids()).every((kid) => !old.includes(kid)));
    assert.equal(await open(ada.token), 200);
    const fresh = await relyOn(stack, app);
    const renewed = await client.refreshTokenGrant(fresh, tokens.refresh_token ?? '', {
      resource: stack.url,
    });
    assert.equal(await open(renewed.access_token), 200);
    const [entry] = (await eventsOf(stack, 'notifications', '')).filter(
      ({ type }) => type === 'key.rotation_requested',
    );
    assert.equal(entry?.data?.['SigningKeysWithdrawn'], true);
  });

  test('is for no single tenant', async () => {
    const { token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const before = await kids();
    const body = { Tenant, WithdrawSigningKeys: true };
    assert.equal((await stack.call('Keys_Rotate', body, stack.platformKey)).status, 400);
    assert.equal(
      (await stack.call('Keys_Rotate', { WithdrawSigningKeys: true }, token)).status,
      403,
    );
    assert.deepEqual(await kids(), before);
  });
});
