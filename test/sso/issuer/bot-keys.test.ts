import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { type Bot, createBot, createKey, type NewKey } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { requestToken, verified } from './keyless.ts';

describeOne('a bot that gets tokens with its key', 'one process', (topology) => {
  let stack: Stack;
  let ada: { id: string; token: string };
  let bot: Bot;
  let key: NewKey;
  before(async () => {
    stack = await sharedStack(topology);
    ada = await signUp(stack);
    bot = await createBot(stack, await tenantFor(stack, ada.id), ada.token);
    key = await createKey(stack, bot, ada.token);
  });
  after(() => stack?.stop());

  const form = { grant_type: 'client_credentials' };
  const ask = (secret: string, over: Record<string, string> = {}, id = bot.ID) =>
    requestToken(stack, { ...form, ...over }, { id, secret });

  test('gets a token for Bailiwick that names the key, for five minutes', async () => {
    const answer = await ask(key.Secret);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    const { sub, client_id, credential, tenant, scope, sid, permissions, ...rest } = await verified(
      stack,
      answer.body,
    );
    assert.deepEqual(
      { sub, client_id, credential, tenant, scope, sid, permissions },
      {
        sub: bot.ID,
        client_id: bot.ID,
        credential: key.Key.ID,
        tenant: bot.Tenant,
        scope: '*',
        sid: undefined,
        permissions: undefined,
      },
    );
    assert.equal(Number(rest.exp) - Number(rest.iat), 300);
    const { token_type, expires_in } = answer.body;
    assert.deepEqual([token_type, expires_in], ['Bearer', 300]);
    const posted = { ...form, client_id: bot.ID, client_secret: key.Secret, resource: stack.url };
    assert.equal((await requestToken(stack, posted)).status, 200);
  });

  test('has the permissions of its key, or those of them that it asks for', async () => {
    const Permissions = ['app.reports.*', 'iam.users.read'];
    const { Secret } = await createKey(stack, bot, ada.token, { Permissions });
    const all = await ask(Secret);
    assert.equal((await verified(stack, all.body))['scope'], Permissions.join(' '));
    const some = await ask(Secret, { scope: 'app.reports.read' });
    assert.equal(some.body['scope'], 'app.reports.read');
    for (const scope of ['*', 'iam.*', 'iam.users.write', 'openid', 'account', 'app.reports'])
      assert.equal((await ask(Secret, { scope })).body['error'], 'invalid_scope', scope);
    const platform = await ask(key.Secret, { scope: 'iam.platform.users.read' });
    assert.equal(platform.body['scope'], 'iam.platform.users.read');
    for (const scope of ['iam.internal.deliver', 'account', 'offline_access'])
      assert.equal((await ask(key.Secret, { scope })).body['error'], 'invalid_scope', scope);
  });

  test('gets no token for another service', async () => {
    for (const resource of ['https://api.example.test', `${stack.url}/`, 'urn:x'])
      assert.equal((await ask(key.Secret, { resource })).body['error'], 'invalid_target', resource);
  });

  test('is refused like an unknown bot with a key that is not its own or has ended', async () => {
    const other = await createBot(stack, bot.Tenant, ada.token);
    const [foreign, narrow, revoked] = await Promise.all([
      createKey(stack, other, ada.token),
      createKey(stack, bot, ada.token, { AllowedIPs: ['192.0.2.7'] }),
      createKey(stack, bot, ada.token),
    ]);
    const { Tenant } = bot;
    const ExpiresAt = new Date(Date.now() - 1000).toISOString();
    const expired = { Tenant, ID: revoked.Key.ID, ExpiresAt };
    bodyOf(await stack.call('BotKeys_SetExpiration', expired, ada.token));
    const unknown = await ask(key.Secret, {}, 'bot_01jzzzzzzzzzzzzzzzzzzzzzzz');
    assert.equal(unknown.status, 401);
    const secrets = [foreign, narrow, revoked].map(({ Secret }) => Secret);
    for (const secret of [...secrets, stack.platformKey, ada.token, 'x']) {
      const { status, body } = await ask(secret);
      assert.deepEqual([status, body], [401, unknown.body]);
    }
    const bare = await requestToken(stack, { ...form, client_id: bot.ID });
    assert.equal(bare.body['error'], 'invalid_client');
    await ask(foreign.Secret, {}, other.ID).then(({ status }) => assert.equal(status, 200));
    bodyOf(await stack.call('Bots_Save', { Bot: { ...other, Active: false } }, ada.token));
    assert.deepEqual((await ask(foreign.Secret, {}, other.ID)).body, unknown.body);
  });

  test('of a suspended tenant gets no token', async () => {
    const tenant = await tenantFor(stack, ada.id);
    const its = await createBot(stack, tenant, ada.token);
    const { Secret } = await createKey(stack, its, ada.token);
    assert.equal((await ask(Secret, {}, its.ID)).status, 200);
    bodyOf(await stack.call('Tenants_Suspend', { Tenant: tenant }, stack.platformKey));
    assert.equal((await ask(Secret, {}, its.ID)).body['error'], 'invalid_client');
  });

  test('is no client of the other routes', async () => {
    const query = new URLSearchParams({
      client_id: bot.ID,
      response_type: 'code',
      redirect_uri: 'https://app.example.test/callback',
      scope: 'openid',
    });
    const page = await fetch(`${stack.url}/oauth/authorize?${String(query)}`, {
      redirect: 'manual',
    });
    assert.equal(page.status, 400);
    for (const grant_type of ['authorization_code', 'refresh_token']) {
      const { status, body } = await ask(key.Secret, { grant_type, code: 'x', refresh_token: 'x' });
      assert.deepEqual([status, body['error']], [400, 'invalid_request']);
    }
  });
});
