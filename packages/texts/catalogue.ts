import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('locales', import.meta.url));

/** The languages of pages and mails, as spelt in their folders' names. */
export const shippedLocales: readonly string[] = readdirSync(folder).sort();

/** The texts of the pages in one language, by key. */
export const readPageTexts = (locale: string): Readonly<Record<string, string>> =>
  readJson(locale, 'pages.json');

/**
 * The mails in one language, by name. A body is a list of paragraphs: `[label]({{link}})` is a
 * button, and `{{token}}` on a second line is a token to copy.
 */
export type MailTexts = {
  /**
   * `unknown` replaces an unknown network address, `somebody` the name of an inviter without a
   * name, and `unnamed` that of a tenant without one. `platformKey` names the platform key.
   */
  words: Readonly<Record<string, string>>;
  mails: Readonly<Record<string, { subject: string; body: readonly string[] }>>;
};

/** The mails in one language. */
export const readMailTexts = (locale: string): MailTexts => readJson(locale, 'mails.json');

const readJson = (locale: string, file: string) =>
  JSON.parse(readFileSync(path.join(folder, locale, file), 'utf8'));
