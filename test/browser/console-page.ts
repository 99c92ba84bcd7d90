import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { type Stack, startStack } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import { assertAccessible, type Browser, openBrowser, photograph } from './browser.ts';
import { signIn } from './sign-in.ts';

// A user in the console.

/**
 * The stack that tests of the console share. It starts after the console is built, and mails no codes,
 * so no other test of a run has started it before.
 */
export async function consoleStack(): Promise<Stack> {
  await buildConsole(assert.fail);
  return sharedStack('one process', { BAILIWICK_EMAIL_CODES: 'off' });
}

/** A stack that no other test file uses. */
export async function ownConsoleStack(): Promise<Stack> {
  await buildConsole(assert.fail);
  return startStack('one process', { BAILIWICK_LIMITS: 'off' });
}

/**
 * The stack and the browser of a suite, which calls this in its `describe`. A test fails if one of
 * its tabs had a problem.
 */
export function consoleSuite(start: () => Promise<Stack> = consoleStack) {
  let stack: Stack;
  let browser: Browser;
  let problems: string[] = [];
  before(async () => {
    stack = await start();
    browser = await openBrowser();
  });
  after(async () => {
    await browser?.close();
    await stack?.stop();
  });
  afterEach(() => {
    assert.deepEqual(problems, []);
    problems = [];
  });
  return {
    stack: () => stack,
    newPage: (options?: BrowserContextOptions) =>
      newConsolePage(browser, stack.url, problems, options),
  };
}

/**
 * A tab whose script errors, policy violations and requests to other sites are added to `problems`.
 */
export async function newConsolePage(
  browser: Browser,
  base: string,
  problems: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const page = await browser.newPage(options);
  await page
    .context()
    .exposeFunction('noteViolation', (text: string) => void problems.push(`policy: ${text}`));
  await page.context().addInitScript(`
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
      noteViolation([violatedDirective, blockedURI, sample].join(' ')));
  `);
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(base) && !url.startsWith('data:')) problems.push(url);
  });
  return page;
}

/** Opens a view as a visitor, signs in on the way, and waits until it is back. */
export async function openSignedIn(
  page: Page,
  address: string,
  email: string,
  password: string,
): Promise<void> {
  await page.goto(address);
  await page.waitForURL('**/login?*');
  await signIn(page, email, password);
  await page.waitForURL(address);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/** Follows a link of a tenant's navigation, after it has opened the group of the link. */
export async function followLink(page: Page, name: string): Promise<void> {
  const navigation = page.getByRole('navigation', { name: 'Views' });
  const link = navigation.getByRole('link', { name, exact: true });
  for (const group of ['People', 'Access', 'Sign-in', 'Developers']) {
    if ((await link.count()) > 0) break;
    await navigation.getByRole('button', { name: group, exact: true }).click();
  }
  await link.click();
}

/** Checks a view for accessibility and layout, and takes its picture in both schemes. */
export async function assertGood(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await photograph(page, `console-${name}`);
  await assertAccessible(page);
}

/** Opens the menu of the row with this text, and chooses an action. */
export async function actOn(scope: Page | Locator, row: string, action: string): Promise<void> {
  const match = scope.getByRole('row').filter({ hasText: row });
  await match.getByRole('button', { name: /^Actions / }).click();
  await match.getByRole('menuitem', { name: action }).click();
}

/** The bar that saves or discards the changes of a view. */
export const saveBar = (page: Page): Locator =>
  page.getByRole('region', { name: 'Unsaved changes' });
