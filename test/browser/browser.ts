import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { inflateSync } from 'node:zlib';
import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumPath } from './chromium.ts';

// A browser for a test file, and what every page has to stand: being read by anybody, and being looked at.

export type Browser = Awaited<ReturnType<typeof openBrowser>>;

const quiet = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
// All traffic stays on loopback: no name leads anywhere.
const apart = [
  '--no-proxy-server',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.*, EXCLUDE localhost',
];

// What "block all cookies" in its settings comes to.
const cookiesBlocked = { profile: { default_content_setting_values: { cookies: 2 } } };

/** Its profile is its own, and gone with it. One that blocks cookies gives pages no storage either, and fails those that ask. */
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
    /** A tab of somebody new: with no cookie and no storage. `page.context().newPage()` is a second one of the same person. */
    async newPage(options: BrowserContextOptions = {}): Promise<Page> {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 720 },
        reducedMotion: 'reduce',
        ...options,
      });
      // What a loaded machine needs; nothing waits this long for its own sake.
      context.setDefaultTimeout(60_000);
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

/** No rule of axe is broken, in the dark neither, and nothing has to be scrolled sideways on the narrowest screen. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  await page.emulateMedia({ colorScheme: 'light' });
  await assertKept(page, rules);
  await page.emulateMedia({ colorScheme: 'dark' });
  // The only rule for which colours count.
  await assertKept(page, { type: 'rule', values: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: null });
  const size = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320);
  if (size) await page.setViewportSize(size);
}

async function assertKept(page: Page, runOnly: RunOptions['runOnly']): Promise<void> {
  const { violations, passes } = await page.evaluate<AxeResults>(
    `axe.run(document, ${JSON.stringify({ runOnly })})`,
  );
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(', ')}`,
  );
  assert.deepEqual(found, [], page.url());
  assert.ok(passes.some(({ id }) => id === 'color-contrast'));
}

const views = [
  { width: 320, colorScheme: 'light' },
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const;

/** Puts what the page looks like into the folder `BAILIWICK_ARTIFACTS`: on a phone and on a desk, there in the dark too. */
export async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['BAILIWICK_ARTIFACTS'];
  const size = page.viewportSize();
  for (const { width, colorScheme } of views) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 720 });
    const file = folder ? { path: path.join(folder, `${name}-${width}-${colorScheme}.png`) } : {};
    assertPicture(await page.screenshot({ fullPage: true, caret: 'initial', ...file }), width);
  }
  await page.emulateMedia({ colorScheme: null });
  if (size) await page.setViewportSize(size);
}

/** A PNG of this width on which there is something. */
function assertPicture(png: Buffer, width: number): void {
  assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  assert.equal(png.readUInt32BE(16), width);
  assert.ok(png.readUInt32BE(20) >= 100);
  const data: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  }
  // Rows are stored as differences: those of an empty page are nearly all nought.
  const differences = inflateSync(Buffer.concat(data)).filter((byte) => byte !== 0).length;
  assert.ok(differences > 2000, `only ${differences} differences: the picture is empty`);
}
