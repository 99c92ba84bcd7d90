import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import type { Browser } from '../browser/browser.ts';
import { signIn } from '../browser/sign-in.ts';
import type { Demo } from './demo.ts';
import { settle } from './views.ts';

// The pictures of README and docs: what to open, and what to wait for.

type Picture = { name: string; address: string; text: string };

const size = { width: 1280, height: 800 };

const picturesOf = ({ editor, records }: Demo): readonly Picture[] => {
  const views = `/console/t/${records['tenant']}`;
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
      address: `${views}/webhooks/${records['endpoint']}/messages/${records['message']}`,
      text: 'Attempts',
    },
    { name: 'console-audit', address: `${views}/audit`, text: 'report.shared' },
  ];
};

type Options = { out: string; say: (line: string) => void };

/** Saves each picture as a PNG in the folder `out`. */
export async function takePictures(
  browser: Browser,
  demo: Demo,
  { out, say }: Options,
): Promise<void> {
  const { url } = demo;
  const page = await browser.newPage({ viewport: size, colorScheme: 'light' });
  const save = async (name: string) => say(await takePicture(page, path.join(out, `${name}.png`)));
  await page.goto(`${url}/login`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await save('sign-in');
  await page.goto(`${url}/login?return_to=%2Faccount`);
  await signIn(page, demo.owner, demo.password);
  await page.waitForURL(`${url}/account**`);
  for (const { name, address, text } of picturesOf(demo)) {
    await page.goto(`${url}${address}`);
    await page.getByText(text).first().waitFor();
    await save(name);
  }
}

async function takePicture(page: Page, file: string): Promise<string> {
  await settle(page);
  await page.screenshot({ path: file });
  return `${file}: ${Math.round(readFileSync(file).length / 1024)} KB`;
}
