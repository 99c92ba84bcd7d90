import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { bodyOf, recordIn } from '../support/answers.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { createTenant, login, mailTo, password, signUp, tokenIn } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, dumpOf, textBelow } from '../support/store.ts';
import { addTotp } from '../support/totp.ts';
import { scrapeAll } from '../telemetry/scrape.ts';

// test/telemetry/trace.test.ts searches the spans, with five processes.
describeOne('secrets of accounts', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('tokens, passwords and keys in URLs are not readable in the database, the logs, the broker or the metrics', async () => {
    const { email, token } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    const Tenant = await createTenant(stack, token);
    const urlKeys = ['a', 'b'].map((letter) => letter + randomBytes(20).toString('hex'));
    const endpoint = { Tenant, Name: 'a', URL: `${stack.inboxUrl}/hooks/keyed?key=${urlKeys[0]}` };
    const created = await stack.call('Webhooks_CreateEndpoint', { Endpoint: endpoint }, token);
    const { ID } = recordIn(created, 'Endpoint') as { ID: string };
    const moved = { ...endpoint, ID, URL: `${stack.inboxUrl}/hooks/keyed?key=${urlKeys[1]}` };
    bodyOf(await stack.call('Webhooks_UpdateEndpoint', { Endpoint: moved }, token));
    // An attempt leaves rows, tasks and log lines.
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'keyed' } }, token));
    await eventually('the attempt', () =>
      countOf(stack, 'notifications.delivery_attempt where endpoint = $1', [ID]),
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
        ...urlKeys,
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
