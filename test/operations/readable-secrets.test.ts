import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { bodyOf } from '../support/answers.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { createTenant, login, mailTo, password, signUp, tokenIn } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { dumpOf, textBelow } from '../support/store.ts';
import { addTotp } from '../support/totp.ts';
import { scrapeAll } from '../telemetry/scrape.ts';

// test/telemetry/trace.test.ts searches the spans, with five processes.
describeOne('secrets of accounts', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('tokens and passwords are not readable in the database, the logs, the broker or the metrics', async () => {
    const { email, token } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    const created = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: await createTenant(stack, token), Name: 'a', URL: stack.inboxUrl } },
      token,
    );
    const { secret: appSecret } = await addTotp(stack, token);
    const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, token)) as {
      Codes: string[];
    };
    const { Challenge } = bodyOf(await login(stack, email));
    const dumps = await Promise.all(
      ['identity', 'access', 'sso', 'notifications'].map((schema) => dumpOf(stack, schema)),
    );
    const places = {
      database: dumps.join('\n'),
      logs: textBelow(path.join(stack.folder, 'logs')),
      broker: textBelow(path.join(stack.folder, 'nats')),
      metrics: await scrapeAll(stack),
    };
    assert.ok(
      places.database.includes(email) && places.broker.includes(email),
      'the places are searched',
    );
    for (const text of [places.logs, places.metrics])
      assert.ok(text.includes('Account_Login') && !text.includes(email));
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [
        token,
        reset,
        password,
        appSecret,
        Codes[0] ?? '',
        String(Challenge),
        String(created.body['Secret']),
        stack.platformKey,
        stack.workerToken,
      ]) {
        assert.ok(
          !text.includes(secret) && !(secret.length > 20 && text.includes(secret.slice(6, 40))),
          `${secret.slice(0, 6)} in the ${place}`,
        );
      }
    }
  });
});
