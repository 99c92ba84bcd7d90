import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, mailTo, password, signUp, tokenIn } from '../support/people.ts';
import { dumpOf, textBelow } from '../support/store.ts';
import { type Collector, startCollector } from '../telemetry/collector.ts';
import { scrapeAll } from '../telemetry/scrape.ts';

describeOne('secrets of accounts', 'five processes', (topology) => {
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
