import { existsSync } from 'node:fs';
import process from 'node:process';

// The host's own browser for the tests of pages. Nothing is downloaded.

const paths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const named = process.env['BAILIWICK_CHROMIUM'];

/** Undefined if there is none. `BAILIWICK_CHROMIUM` names another one. */
export const chromiumPath = (named ? [named] : paths).find((file) => existsSync(file));

/** The reason why tests of pages are skipped; false if they run. */
export const withoutChromium =
  chromiumPath === undefined &&
  `THE PAGES ARE NOT TESTED: ${named ? `there is no ${named}` : 'this host has no Chromium (set BAILIWICK_CHROMIUM to one)'}`;
