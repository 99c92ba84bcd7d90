import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../delivery/receiver.ts';
import { supportCalls } from '../operations/identity/support-calls.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { assertAccessible, type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { areaOf, readViews } from './console-addresses.ts';
import { newConsolePage, openSignedIn } from './console-page.ts';
import { fillPlatform, fillTenant, type Records } from './console-records.ts';

// Every view of the console, in German, with records whose names are markup.

const markup = '<img src=x onerror="document.title=1"><b>Zeta</b>';

const denied = 'Sie dürfen diese Ansicht nicht sehen';

/** The areas of views, with the fewest of them that show a record by its name. */
const areas = {
  tenant: { of: 'a tenant', named: 15 },
  platform: { of: 'the platform', named: 4 },
  account: { of: 'the own account', named: 1 },
} as const;

describe('every view of the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let receiver: Receiver;
  let page: Page;
  let fill: (address: string) => string;
  const problems: string[] = [];
  const { newOperator } = supportCalls(() => stack);
  before(async () => {
    await buildConsole(assert.fail);
    // A delivery fails for good at once.
    const settings = { BAILIWICK_LIMITS: 'off', BAILIWICK_RETRY_SCHEDULE: '0s' };
    stack = await startStack('one process', settings);
    receiver = await startReceiver();
    browser = await openBrowser();
    const operator = await newOperator();
    const own = await fillTenant(stack, operator, markup, receiver);
    const platform = await fillPlatform(stack, markup);
    page = await newConsolePage(browser, stack.url, problems);
    await openSignedIn(page, `${stack.url}/console/t/${own.tenant}`, operator.email, password);
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    await page.context().addCookies([{ name: 'bailiwick_locale', value: 'de', url: stack.url }]);
    fill = (address) => {
      const records: Partial<Records> = {
        ...own,
        ...(address.includes('/chat/') && { endpoint: own.chat, message: own.chatMessage }),
        ...(areaOf(address) === 'platform' && platform),
        id: address.includes('/users/') ? own.member : own.tenantID,
      };
      return address.replaceAll(/\$(\w+)/g, (_, name: keyof Records) => {
        assert.ok(records[name], `a record is missing for ${name}`);
        return records[name];
      });
    };
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.stop();
  });

  async function faultsOf(view: string): Promise<string[]> {
    const address = fill(view);
    await page.goto(`${stack.url}${address}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(new URL(page.url()).pathname, leadsOn[view] ? fill(leadsOn[view]) : address);
    const faults = await cutAt360(page);
    if (await page.locator('img[src=x]').count()) faults.push('a name is markup');
    if (await page.getByText(denied).count()) faults.push(denied);
    // Every view is looked at, also after a fault in another one.
    await assertAccessible(page).catch(({ message }: Error) => faults.push(message));
    return [...faults, ...problems.splice(0)].map((fault) => `${view}: ${fault}`);
  }

  for (const [area, { of, named }] of Object.entries(areas))
    test(`the views of ${of} show names as text, are accessible in both schemes, fit a phone, and no call of them fails`, async () => {
      const views = readViews().filter((view) => areaOf(view) === area);
      assert.ok(views.length > 5, views.join('\n'));
      const [namesShown, faults]: [string[], string[]] = [[], []];
      for (const view of views) {
        faults.push(...(await faultsOf(view)));
        if (await page.locator('main').getByText(markup).count()) namesShown.push(view);
      }
      assert.deepEqual(faults, []);
      assert.ok(namesShown.length >= named, namesShown.join('\n'));
    });
});

/** Views that lead to others at once. */
const leadsOn: Readonly<Record<string, string>> = {
  '/console': '/console/t/$tenant',
  '/console/t/$tenant/grants': '/console/t/$tenant/roles/grants',
  '/console/t/$tenant/invitations': '/console/t/$tenant/members/invitations',
};

/** The parts of a view that scroll sideways on a phone. Only a text to copy and the numbers of a plot may. */
async function cutAt360(page: Page): Promise<string[]> {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 740 });
  const parts = await page.evaluate<string[]>(`
    [...document.querySelectorAll('body, main, main *:not(pre, input, select, [role=group])')]
      .filter((one) => one.scrollWidth > one.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(one).overflowX))
      .map(({ scrollWidth, clientWidth, innerText }) => \`\${scrollWidth} in \${clientWidth} px: \${innerText.slice(0, 80)}\`)`);
  if (size) await page.setViewportSize(size);
  return parts;
}
