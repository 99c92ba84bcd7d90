import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Browser } from '../browser/browser.ts';
import { areaOf, readViews } from '../browser/console-addresses.ts';
import { signIn } from '../browser/sign-in.ts';
import type { Demo } from './demo.ts';

// Every view of the console, and the pages before it: on a desktop and on a phone, in both schemes
// and in two languages.

const widths = [1280, 390] as const;
const schemes = ['light', 'dark'] as const;
const languages = ['en', 'de'] as const;

type Shot = { name: string; address: string; person: string };

/** The pages that a visitor sees. */
const visitors: readonly Shot[] = ['login', 'login?register', 'nowhere', 'portal'].map((name) => ({
  name: name.replace('?', '-'),
  address: `/${name}`,
  person: '',
}));

/** The views of the console with the records of the demo. Says which ones have none there. */
function shotsOf(demo: Demo, say: (line: string) => void): Shot[] {
  const shots: Shot[] = [];
  for (const view of readViews()) {
    const isPlatform = areaOf(view) === 'platform';
    const id = demo.platform[view.replace('/console/platform/', '')];
    const names = [...view.matchAll(/\$(\w+)/g)].map(([, name = '']) => name);
    const record = (name: string) => (name === 'id' ? id : demo.records[name]);
    const isMissing = view.includes('/chat/') || (isPlatform && view.includes('$app'));
    if (isMissing || names.some((name) => !record(name))) {
      say(`not shown, since the demo has no record for it: ${view}`);
      continue;
    }
    shots.push({
      name: view.replaceAll(/[/$]+/g, '-').replace(/^-/, ''),
      address: view.replaceAll(/\$(\w+)/g, (_, name: string) => record(name) ?? ''),
      person: isPlatform ? demo.operator : demo.owner,
    });
  }
  return shots;
}

type Options = { out: string; only: RegExp; say: (line: string) => void };

/** Saves `<view>-<width>-<scheme>-<language>.png` for each view whose name matches. */
export async function takeViews(browser: Browser, demo: Demo, options: Options): Promise<void> {
  const { out, only, say } = options;
  const shots = [...visitors, ...shotsOf(demo, say)].filter(({ name }) => only.test(name));
  for (const person of new Set(shots.map((shot) => shot.person))) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    if (person !== '') await enter(page, demo, person);
    for (const { name, address } of shots.filter((shot) => shot.person === person)) {
      await takeView(page, demo.url, { name, address, out });
      say(name);
    }
    await page.context().close();
  }
}

async function enter(page: Page, { url, password }: Demo, person: string): Promise<void> {
  await page.goto(`${url}/login?return_to=%2Faccount`);
  await signIn(page, person, password);
  await page.waitForURL(`${url}/account**`);
}

type View = { name: string; address: string; out: string };

async function takeView(page: Page, url: string, { name, address, out }: View): Promise<void> {
  for (const language of languages) {
    await page.context().addCookies([{ name: 'bailiwick_locale', value: language, url }]);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${url}${address}`);
    await settle(page);
    for (const colorScheme of schemes)
      for (const width of widths) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
        await settle(page);
        const file = path.join(out, `${name}-${width}-${colorScheme}-${language}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
  }
}

export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('body:not(:has(.mantine-Skeleton-root))').waitFor();
}
