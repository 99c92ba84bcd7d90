import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import type { Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../delivery/receiver.ts';
import { supportCalls } from '../operations/support-calls.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { password } from '../support/people.ts';
import { type Browser, openBrowser } from './browser.ts';
import { withoutChromium } from './chromium.ts';
import { assertGood, newConsolePage, openSignedIn } from './console-page.ts';
import { fillPlatform, fillTenant, type Records } from './console-records.ts';

// Every view of the console, in German, with records whose names are markup.

const markup = '<img src=x onerror="document.title=1"><b>Zeta</b>';

const denied = 'Sie dürfen diese Ansicht nicht sehen';

/** The routes that hold views, by their names in the code, with their addresses. */
const parents: Readonly<Record<string, string>> = {
  rootRoute: '',
  tenantRoute: '/console/t/$tenant/',
  tenantParent: '/console/t/$tenant/',
  platformRoute: '/console/platform/',
  platformParent: '/console/platform/',
  accountRoute: '/account/',
};

/** The addresses of all views, as the areas declare them. */
function readViews(): string[] {
  const declared = globSync('console/src/*/routes.tsx', { cwd: root }).flatMap((file) => [
    ...readFileSync(path.join(root, file), 'utf8').matchAll(
      /getParentRoute: (?:\(\) => )?(\w+),\s+path: '([^']+)'/g,
    ),
  ]);
  const addresses = declared.map(([, parent = '', below = '']) => {
    const above = parents[parent];
    assert.ok(above !== undefined, `the address of ${parent} is unknown`);
    return `${above}${below}`.replace(/\/+$/, '');
  });
  return [...new Set(addresses)].sort();
}

describe('every view of the console', { skip: withoutChromium }, () => {
  let stack: Stack;
  let browser: Browser;
  let receiver: Receiver;
  const problems: string[] = [];
  const { newOperator } = supportCalls(() => stack);
  before(async () => {
    await buildConsole(assert.fail);
    // A delivery fails for good at once.
    const settings = { BAILIWICK_LIMITS: 'off', BAILIWICK_RETRY_SCHEDULE: '0s' };
    stack = await startStack('one process', settings);
    receiver = await startReceiver();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
    await receiver?.stop();
  });

  async function openAsOwner(): Promise<{ page: Page; fill: (address: string) => string }> {
    const operator = await newOperator();
    const own = await fillTenant(stack, operator, markup, receiver);
    const platform = await fillPlatform(stack, markup);
    const page = await newConsolePage(browser, stack.url, problems);
    await openSignedIn(page, `${stack.url}/console/t/${own.tenant}`, operator.email, password);
    page.on('response', (response) => {
      if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
    });
    await page.context().addCookies([{ name: 'bailiwick_locale', value: 'de', url: stack.url }]);
    const fill = (address: string) => {
      const records: Partial<Records> = {
        ...own,
        ...(address.includes('/chat/') && { endpoint: own.chat, message: own.chatMessage }),
        ...(address.startsWith('/console/platform') && platform),
      };
      return address.replaceAll(/\$(\w+)/g, (_, name: keyof Records) => {
        assert.ok(records[name], `a record is missing for ${name}`);
        return records[name];
      });
    };
    return { page, fill };
  }

  test('shows names as text, is accessible in both schemes, fits a narrow screen, and no call of it fails', async () => {
    const views = readViews();
    assert.ok(views.length > 40, views.join('\n'));
    const { page, fill } = await openAsOwner();
    const [namesShown, faults]: [string[], string[]] = [[], []];
    for (const view of views) {
      const address = fill(view);
      await page.goto(`${stack.url}${address}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      // Every view is looked at, also after a fault in another one.
      await assertGood(page, `view${view.replaceAll(/[/$]+/g, '-')}`).catch((error: Error) =>
        faults.push(`${view}: ${error.message}`),
      );
      assert.equal(new URL(page.url()).pathname, leadsOn[view] ? fill(leadsOn[view]) : address);
      faults.push(...(await cutAt360(page)).map((part) => `${view}: ${part}`));
      if (await page.locator('img[src=x]').count()) faults.push(`${view}: a name is markup`);
      if (await page.getByText(denied).count()) faults.push(`${view}: ${denied}`);
      if (await page.getByText(markup).count()) namesShown.push(view);
      faults.push(...problems.splice(0).map((problem) => `${view}: ${problem}`));
    }
    assert.deepEqual(faults, []);
    assert.ok(namesShown.length > 20, namesShown.join('\n'));
  });
});

/** Views that lead to others at once. */
const leadsOn: Readonly<Record<string, string>> = { '/console': '/console/t/$tenant' };

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
