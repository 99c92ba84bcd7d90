import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { bodyOf } from '../support/answers.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, password, signUp } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn } from './console-page.ts';

// A webhook whose next attempt and whose end of the pause are hours away.

describe('a failing webhook in the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  const problems: string[] = [];
  before(async () => {
    await buildConsole(assert.fail);
    stack = await startStack('one process', {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_RETRY_SCHEDULE: '0s,1h',
      BAILIWICK_BREAKER_PAUSES: '2h,2h',
    });
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });

  test('a failing webhook leads to its cause in two clicks, and its message is tried now', async () => {
    const { email, token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const call = async (name: string, body: object) => bodyOf(await stack.call(name, body, token));
    const { Slug } = (await call('Tenants_Get', { Tenant }))['Tenant'] as { Slug: string };
    const hook = `${stack.inboxUrl}/hooks/two-clicks`;
    const Endpoint = { Tenant, Name: 'Orders', URL: `${hook}?status=503`, EventTypes: ['group.*'] };
    const { ID } = (await call('Webhooks_CreateEndpoint', { Endpoint }))['Endpoint'] as {
      ID: string;
    };
    const healthy = { ...Endpoint, Name: 'Reports', URL: hook, EventTypes: ['report.*'] };
    await call('Webhooks_CreateEndpoint', { Endpoint: healthy });
    const stateIs = (expected: string) =>
      eventually(`the state ${expected}`, async () => {
        const record = (await call('Webhooks_GetEndpoint', { Tenant, ID }))['Endpoint'] as {
          Health: { State: string; Waiting: number };
        };
        return record.Health.State === expected && record.Health;
      });
    for (let count = 0; count < 12; count++)
      await call('Groups_Save', { Group: { Tenant, Path: `g${count}` } });
    await stateIs('paused');

    const page = await newConsolePage(browser, stack.url, problems);
    await openSignedIn(page, `${stack.url}/console/t/${Slug}/webhooks`, email, password);
    const row = page.getByRole('row').filter({ hasText: 'Orders' });
    await row.getByText('paused').waitFor();
    await row.getByText('HTTP 503').waitFor();
    await page.getByText('No message was given up in the last 30 days.').waitFor();
    await assertGood(page, 'webhooks-failing');
    await page.evaluate('clicks = 0; addEventListener("click", () => clicks++, true)');
    await row.getByRole('link', { name: 'Orders' }).click();
    await page.getByText('Deliveries fail').waitFor();
    await page.getByText('0% of the attempts succeeded').waitFor();
    assert.equal(await page.getByText('active', { exact: true }).count(), 0);
    const message = page.getByRole('row').filter({ hasText: 'group.created' }).first();
    await message.getByRole('button', { name: 'Try now: group.created' }).waitFor();
    await assertGood(page, 'webhooks-failing-endpoint');
    await message.getByRole('link', { name: 'group.created' }).click();
    await page.getByText('The endpoint is paused because too many attempts failed.').waitFor();
    await page.getByText('Attempt 2 of 2').waitFor();
    await page.getByRole('cell', { name: 'HTTP 503' }).waitFor();
    await page.getByText('The endpoint does not receive events of this type.').waitFor();
    assert.equal(await page.evaluate('clicks'), 2);
    const next = page.getByText('Attempt 2 of 2').locator('time');
    assert.ok(Date.parse((await next.getAttribute('datetime')) ?? '') > Date.now());
    await assertGood(page, 'webhooks-explained');

    // Its receiver is repaired meanwhile.
    await call('Webhooks_UpdateEndpoint', { Endpoint: { ...Endpoint, ID, URL: hook } });
    await page.getByRole('button', { name: 'Try now' }).click();
    await page.getByText('The next attempt is being made.').waitFor();
    await stateIs('delivering');
    await page.reload();
    await page.getByText('The receiver accepted the message.').waitFor();
    await assertGood(page, 'webhooks-arrived');
    assert.deepEqual(problems, []);
  });
});
