import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { openBrowser } from '../browser/browser.ts';
import { withoutChromium } from '../browser/chromium.ts';
import { lookAround, startDemo } from './demo.ts';
import { takePictures } from './pictures.ts';
import { takeViews } from './views.ts';

// npm run screenshots: takes a picture of every view of the demo.
//
//   npm run screenshots                     into test/artifacts/screenshots, which git ignores
//   npm run screenshots -- --docs           the pictures of README and docs, into docs
//   npm run screenshots -- --out FOLDER     into another folder
//   npm run screenshots -- --only members   the views whose names match
//   npm run screenshots -- --url URL        of a demo that runs

const { values } = parseArgs({
  options: {
    docs: { type: 'boolean', default: false },
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    url: { type: 'string' },
  },
});
if (withoutChromium) throw new Error('pictures need Chromium: set BAILIWICK_CHROMIUM to one');
const say = (line: string): void => void process.stderr.write(`${line}\n`);
const usual = path.join(root, values.docs ? 'docs' : 'test/artifacts/screenshots');
const out = path.resolve(process.env['INIT_CWD'] ?? '.', values.out ?? usual);
mkdirSync(out, { recursive: true });
const started = values.url === undefined ? await startDemo(say) : undefined;
try {
  const demo = await lookAround(values.url ?? started?.url ?? '');
  const browser = await openBrowser();
  try {
    if (values.docs) await takePictures(browser, demo, { out, say });
    else await takeViews(browser, demo, { out, only: new RegExp(values.only), say });
  } finally {
    await browser.close();
  }
} finally {
  await started?.stop();
}
