import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { afterEach } from 'node:test';
import { inflateSync } from 'node:zlib';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

// A browser for a test file, and the checks for every page: accessibility and layout.

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

/** The tabs that the present test has opened. */
const tabs = new Set<Page>();

afterEach(async (context) => {
  if ('passed' in context && !context.passed)
    for (const tab of tabs) context.diagnostic(`${tab.url()} shows: ${await textOf(tab)}`);
  tabs.clear();
});

const textOf = (tab: Page): Promise<string> =>
  tab.locator('body').innerText({ timeout: 1000 }).catch(String);

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
// All traffic stays on loopback: no host name resolves.
const apart = [
  '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.*, EXCLUDE localhost',
];

// The effect of the browser setting "block all cookies".
const cookiesBlocked = { profile: { default_content_setting_values: { cookies: 2 } } };

/**
 * A browser with a temporary profile. With blocked cookies, pages get no storage either, and
 * storage access throws.
 */
export async function openBrowser({ blocksCookies = false } = {}) {
  const profile = mkdtempSync(path.join(tmpdir(), 'bailiwick-chromium-'));
  mkdirSync(path.join(profile, 'Default'));
  writeFileSync(
    path.join(profile, 'Default', 'Preferences'),
    JSON.stringify(blocksCookies ? cookiesBlocked : {}),
  );
  const first = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath ?? '',
    args: [...quiet, ...apart],
    chromiumSandbox: false,
  });
  const browser = first.browser();
  assert.ok(browser);
  return {
    /**
     * A tab of a new visitor, without cookies and storage. `page.context().newPage()` is a second
     * tab of the same visitor.
     */
    async newPage(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 720 },
        reducedMotion: 'reduce',
        ...options,
      });
      // Enough for a loaded machine. Tests do not otherwise wait this long.
      context.setDefaultTimeout(60_000);
      context.on('page', (page) => tabs.add(page));
      return context.newPage();
    },
    async close(): Promise<void> {
      await first.close();
      // Its last processes still write while they end.
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Asserts that axe finds no violation, in light and dark, and that the narrowest screen needs no
 * horizontal scrolling.
 */
export async function assertAccessible(page: Page): Promise<void> {
  // The buttons of a page that waits for an answer are pale.
  await page.locator('[aria-busy=true] button').first().waitFor({ state: 'detached' });
  // A view of the same document has it already, and it is 1.5 MB.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  await page.emulateMedia({ colorScheme: 'light' });
  await assertKept(page, rules);
  await page.emulateMedia({ colorScheme: 'dark' });
  // The console follows the browser with an attribute, a moment later.
  await page.locator('html:not([data-mantine-color-scheme=light])').waitFor();
  // The only rule that depends on colours.
  await assertKept(page, { type: 'rule', values: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: null });
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  if (size) await page.setViewportSize(size);
}

async function assertKept(page: Page, runOnly: RunOptions['runOnly']): Promise<void> {
  const { violations, passes } = await page.evaluate<AxeResults>(
    // Collecting the nodes that pass would take most of the time.
    `axe.run(document, ${JSON.stringify({ runOnly, resultTypes: ['violations'] })})`,
  );
  const problems = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(', ')}`,
  );
  assert.deepEqual(problems, [], page.url());
  assert.ok(passes.some(({ id }) => id === 'color-contrast'));
}

const views = [
  { width: 320, colorScheme: 'light' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;

/**
 * Saves screenshots in the folder `BAILIWICK_ARTIFACTS`: for a phone, and for a desktop in light
 * and dark. Takes none without the folder, because they take longer than the checks.
 */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['BAILIWICK_ARTIFACTS'];
  if (folder === undefined) return;
  const size = page.viewportSize();
  for (const { width, colorScheme } of views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 720 });
    const file = path.join(folder, `${name}-${width}-${colorScheme}.png`);
    assertPicture(await page.screenshot({ fullPage: true, caret: 'initial', path: file }), width);
  }
  await page.emulateMedia({ colorScheme: null });
  if (size) await page.setViewportSize(size);
}

/** Asserts that it is a PNG of this width and not empty. */
function assertPicture(png: Buffer, width: number): void {
  assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  assert.equal(png.readUInt32BE(16), width);
  assert.ok(png.readUInt32BE(20) >= 100);
  const chunks: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      chunks.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  // Rows are stored as differences: those of an empty page are nearly all zero.
  const differences = inflateSync(Buffer.concat(chunks)).filter((byte) => byte !== 0).length;
  assert.ok(differences > 2000, `only ${differences} differences: the picture is empty`);
}
