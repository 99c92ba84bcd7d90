import type { IncomingHttpHeaders } from 'node:http';
import Negotiator from 'negotiator';

/** The language of texts that no wanted language has. */
export const fallbackLocale = 'en';

// Clients send these: reading them must stay cheap.
const longestLocale = 35;
const mostLocales = 20;

/**
 * The locales that fit a wanted one, closest first: for de-CH also de, for pt any Portuguese.
 * Ignores case, and accepts de_CH.
 */
export function localesLike(locales: Iterable<string>, tag: string): string[] {
  const spelt = new Map([...locales].map((locale) => [locale.toLowerCase(), locale]));
  const parts = tag.slice(0, longestLocale).toLowerCase().replaceAll('_', '-').split('-');
  const narrowing = parts.map((_part, index) => parts.slice(0, parts.length - index).join('-'));
  const cousins = [...spelt.keys()].filter((locale) => locale.startsWith(`${parts[0]}-`)).sort();
  return [...new Set([...narrowing, ...cousins])].flatMap((locale) => spelt.get(locale) ?? []);
}

/** The first locale that fits one of the wanted ones, in their order; else English. */
export function chooseLocale(locales: readonly string[], tags: readonly string[]): string {
  for (const tag of tags) {
    const [closest] = localesLike(locales, tag);
    if (closest !== undefined) return closest;
  }
  return fallbackLocale;
}

/** The locales that a browser accepts, the preferred first (RFC 9110, section 12.5.4). */
export const acceptedLocales = (headers: IncomingHttpHeaders): string[] =>
  new Negotiator({ headers })
    .languages()
    .slice(0, mostLocales)
    .filter((locale) => locale !== '*');
