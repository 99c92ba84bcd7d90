import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { findBroker } from '@bailiwick/deploy/local/broker.ts';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { openBrowser } from '../browser/browser.ts';
import { withoutChromium } from '../browser/chromium.ts';
import { startTestServer } from '../support/database.ts';
import { startStack } from '../support/harness.ts';
import { createCompany } from './company.ts';
import { takePictures } from './pictures.ts';

// npm run screenshots: takes the pictures of README and docs again, from a company that it creates.
//
//   npm run screenshots                   into docs
//   npm run screenshots -- --out FOLDER   into another folder

const { values } = parseArgs({
  options: { out: { type: 'string', default: path.join(root, 'docs') } },
});
if (withoutChromium) throw new Error('pictures need Chromium: set BAILIWICK_CHROMIUM to one');
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-screenshots-'));
process.env['BAILIWICK_TEST_BROKER'] = JSON.stringify(await findBroker(say));
await buildConsole(say);
const database = await startTestServer(path.join(folder, 'postgres'));
process.env['BAILIWICK_TEST_DATABASE'] = database.url;
try {
  // A delivery that fails is not repeated, so that its picture does not change.
  const stack = await startStack('one process', {
    BAILIWICK_LIMITS: 'off',
    BAILIWICK_RETRY_SCHEDULE: '0s',
  });
  try {
    const company = await createCompany(stack);
    const browser = await openBrowser();
    try {
      await takePictures(browser, stack.url, company, values.out, say);
    } finally {
      await browser.close();
    }
  } finally {
    await stack.stop();
  }
} finally {
  await database.remove();
  rmSync(folder, { recursive: true, force: true });
}
