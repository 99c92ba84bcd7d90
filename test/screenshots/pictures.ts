import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Browser } from '../browser/browser.ts';
import { signIn } from '../browser/sign-in.ts';
import { password } from '../support/people.ts';
import type { Company } from './company.ts';

// The pictures of README and docs: what to open, and what to wait for.

type Picture = { name: string; address: string; text: string };

const size = { width: 1280, height: 800 };

const picturesOf = ({ slug, editor, failing }: Company): readonly Picture[] => {
  const views = `/console/t/${slug}`;
  const why = new URLSearchParams({
    subject: editor,
    permission: 'app.reports.delete',
  }).toString();
  return [
    { name: 'console-overview', address: views, text: 'Acme Instruments' },
    { name: 'console-members', address: `${views}/members`, text: 'Grace Hopper' },
    { name: 'console-why', address: `${views}/why?${why}`, text: 'Yes, this is allowed' },
    {
      name: 'console-delivery',
      address: `${views}/webhooks/${failing.endpoint}/messages/${failing.message}`,
      text: 'Attempts',
    },
    { name: 'console-audit', address: `${views}/audit`, text: 'group.created' },
  ];
};

/** Saves each picture as a PNG in the folder `out`. */
export async function takePictures(
  browser: Browser,
  url: string,
  company: Company,
  out: string,
  say: (line: string) => void,
): Promise<void> {
  const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
  await page.goto(`${url}/login`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await save(page, 'sign-in', out, say);
  await page.goto(`${url}/console`);
  await page.waitForURL('**/login?*');
  await signIn(page, company.owner, password);
  await page.waitForURL(`${url}/console**`);
  for (const { name, address, text } of picturesOf(company)) {
    await page.goto(`${url}${address}`);
    await page.getByText(text).first().waitFor();
    await save(page, name, out, say);
  }
}

async function save(
  page: Page,
  name: string,
  out: string,
  say: (line: string) => void,
): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('body:not(:has(.mantine-Skeleton-root))').waitFor();
  const file = path.join(out, `${name}.png`);
  await page.screenshot({ path: file });
  say(`${file}: ${Math.round(readFileSync(file).length / 1024)} KB`);
}
