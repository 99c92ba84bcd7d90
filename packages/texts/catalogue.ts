import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('locales', import.meta.url));

/** The languages of pages and mails, as spelt in their folders' names. */
export const shippedLocales: readonly string[] = readdirSync(folder).sort();

/**
 * The folder of a language's mails: `<mail>/{subject.txt,text.txt,html.html}`.
 * `unknown.txt` replaces an unknown network address, `somebody.txt` the name of an inviter without a name, and `unnamed.txt` that of a tenant
 * without one.
 */
export const mailsFolder = (locale: string): string => path.join(folder, locale, 'mails');

/** The texts of the pages in one language, by key. */
export const readPageTexts = (locale: string): Readonly<Record<string, string>> =>
  JSON.parse(readFileSync(path.join(folder, locale, 'pages.json'), 'utf8'));
