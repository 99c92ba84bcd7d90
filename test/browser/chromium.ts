import { existsSync } from 'node:fs';
import process from 'node:process';

// The host's own browser, in which the pages are tested. Nothing is downloaded for it.

const known = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const named = process.env['BAILIWICK_CHROMIUM'];

/** Undefined where there is none. `BAILIWICK_CHROMIUM` names another. */
export const chromiumPath = (named ? [named] : known).find((file) => existsSync(file));

/** Why tests of pages are skipped; false where they are not. */
export const withoutChromium =
  chromiumPath === undefined &&
  `THE PAGES ARE NOT TESTED: ${named ? `there is no ${named}` : 'this host has no Chromium (set BAILIWICK_CHROMIUM to one)'}`;
