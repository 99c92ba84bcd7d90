import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { tokenHash } from '@bailiwick/values';
import { retryWhileBusy } from '../support/answers.ts';
import { describeAll, eventually, type Stack, startStack } from '../support/harness.ts';
import {
  createTenant,
  login,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../support/people.ts';
import { dumpOf, rowsOf, textBelow } from '../support/store.ts';
import { type Collector, startCollector } from '../telemetry/collector.ts';
import { scrapeAll } from '../telemetry/scrape.ts';

describeAll('accounts', (topology) => {
  let stack: Stack;
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off', ...collector.environment });
  });
  after(async () => {
    await stack?.stop();
    await collector.stop();
  });

  test('Account_ResetPassword sets the password, ends every session and sends a notice', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(stack, email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const first = await mailTo(stack, email, 2);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const second = await mailTo(stack, email, 3);
    assert.ok(second.Links.some((link) => link.startsWith(`${stack.url}/reset#token=`)));
    const dead = await stack.call('Account_ResetPassword', {
      Token: tokenIn(first),
      Password: 'a brand new one',
    });
    assert.equal(dead.status, 400);
    assert.equal(dead.body.Code, 'failed_precondition');
    assert.equal(
      (
        await stack.call('Account_ResetPassword', {
          Token: tokenIn(second),
          Password: 'a brand new one',
        })
      ).status,
      200,
    );
    for (const session of [token, other])
      assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
    assert.equal((await login(stack, email)).status, 401);
    assert.equal((await login(stack, email, 'a brand new one')).status, 200);
    await mailTo(stack, email, 4);
  });

  test('Account_Verify and Account_ResetPassword, called 200 times at once with one token, succeed once', async () => {
    const email = newAddress();
    await register(stack, email);
    const verify = tokenIn(await mailTo(stack, email));
    const verified = await Promise.all(
      Array.from({ length: 200 }, () =>
        retryWhileBusy(() => stack.call('Account_Verify', { Token: verify })),
      ),
    );
    assert.equal(verified.filter(({ status }) => status === 200).length, 1);
    assert.equal(verified.filter(({ status }) => status === 400).length, 199);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    const resets = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stack.call('Account_ResetPassword', { Token: reset, Password: `password number ${index}` }),
      ),
    );
    assert.equal(resets.filter(({ status }) => status === 200).length, 1);
  });

  test('Account_Login answers the same for a wrong password, an unknown address and an invalid address', async () => {
    const { email } = await signUp(stack);
    const answers = await Promise.all([
      login(stack, email, 'wrong password'),
      login(stack, newAddress(), password),
      login(stack, 'not an address', password),
    ]);
    for (const { status, body } of answers) {
      assert.equal(status, 401);
      assert.deepEqual(body.Messages, ['email or password is wrong']);
    }
  });

  test('Account_Logout ends this session at once, and no other session', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(stack, email)).body['Token']);
    assert.deepEqual((await stack.call('Account_Logout', {}, token)).body, {});
    const gone = await stack.call('Account_Get', {}, token);
    assert.equal(gone.status, 401);
    assert.equal(gone.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    assert.equal((await stack.call('Account_Get', {}, other)).status, 200);
  });

  test('Users_GetByEmail returns the caller’s own user, and denies a stranger for known and unknown addresses alike', async () => {
    const ada = await signUp(stack);
    const bob = await signUp(stack);
    const own = await stack.call('Users_GetByEmail', { Email: ada.email.toUpperCase() }, ada.token);
    assert.equal((own.body['User'] as { ID: string }).ID, ada.id);
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: ada.email }, bob.token)).status,
      403,
    );
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: newAddress() }, bob.token)).status,
      403,
    );
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: ada.email }, stack.platformKey)).status,
      200,
    );
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: newAddress() }, stack.platformKey)).body.Code,
      'not_found',
    );
  });

  test('expired tokens and sessions do not work, even before the sweeper deletes them', async () => {
    const pending = newAddress();
    await register(stack, pending);
    const verify = tokenIn(await mailTo(stack, pending));
    const { email, token } = await signUp(stack);
    const idle = String((await login(stack, email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    await rowsOf(
      stack,
      `update identity.registration set expires_at = now() - interval '1 second' where email = '${pending}'`,
    );
    await rowsOf(stack, `update identity.reset_token set expires_at = now() - interval '1 second'`);
    const [first, second] = [tokenHash(token), tokenHash(idle)].map((hash) =>
      Buffer.from(hash).toString('hex'),
    );
    await rowsOf(
      stack,
      `update identity.session set expires_at = now() - interval '1 second' where token_hash = '\\x${first}'`,
    );
    await rowsOf(
      stack,
      `update identity.session set last_seen_at = now() - interval '8 days' where token_hash = '\\x${second}'`,
    );
    assert.equal(
      (await stack.call('Account_Verify', { Token: verify })).body.Code,
      'failed_precondition',
    );
    assert.equal(
      (await stack.call('Account_ResetPassword', { Token: reset, Password: password })).body.Code,
      'failed_precondition',
    );
    for (const session of [token, idle])
      assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
  });

  test('Account_ResetPassword takes a token only for the address that it was sent to', async () => {
    const { id, email } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'a brand new one' };
    const moveTo = (address: string) =>
      rowsOf(stack, `update identity.user_account set email_key = '${address}' where id = '${id}'`);
    await moveTo(newAddress());
    assert.equal(
      (await stack.call('Account_ResetPassword', reset)).body.Code,
      'failed_precondition',
    );
    await moveTo(email);
    assert.equal((await stack.call('Account_ResetPassword', reset)).status, 200);
  });

  test('a disabled user keeps no session, gets no new one, and cannot reset the password', async () => {
    const { id, email } = await signUp(stack);
    const token = String((await login(stack, email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'a brand new one' };
    await rowsOf(stack, `update identity.user_account set status = 'disabled' where id = '${id}'`);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    assert.equal((await login(stack, email)).status, 401);
    assert.equal(
      (await stack.call('Account_ResetPassword', reset)).body.Code,
      'failed_precondition',
    );
  });

  test('tokens and passwords are not readable in the database, the logs, the broker or the telemetry', async () => {
    const { email, token } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    const created = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: await createTenant(stack, token), Name: 'a', URL: stack.inboxUrl } },
      token,
    );
    const dumps = await Promise.all(
      ['identity', 'access', 'sso', 'notifications'].map((schema) => dumpOf(stack, schema)),
    );
    const places = {
      database: dumps.join('\n'),
      logs: textBelow(path.join(stack.folder, 'logs')),
      broker: textBelow(path.join(stack.folder, 'nats')),
      spans: await eventually(
        'the spans',
        async () => collector.text().includes('Webhooks_CreateEndpoint') && collector.text(),
      ),
      metrics: await scrapeAll(stack),
    };
    assert.ok(
      places.database.includes(email) && places.broker.includes(email),
      'the places are searched',
    );
    for (const text of [places.logs, places.spans, places.metrics])
      assert.ok(text.includes('Account_Login') && !text.includes(email));
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [
        token,
        reset,
        password,
        String(created.body['Secret']),
        stack.platformKey,
        stack.workerToken,
      ]) {
        assert.ok(
          !text.includes(secret) && !text.includes(secret.slice(6, 40)),
          `${secret.slice(0, 6)} in the ${place}`,
        );
      }
    }
  });
});
