import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedLocales, chooseLocale, localesLike, shippedLocales } from '@bailiwick/texts';
import { readCookie } from '../session/cookies.ts';

// The language of a page: the one that its address asks for with ui_locale, else the one in the
// cookie, which is the earlier ui_locale or the signed-in person's Locale, else one that the browser
// accepts. The cookie keeps it on the way to a provider and back.

const cookie = 'bailiwick_locale';
const mostLanguages = 20;

/** The languages in the address, such as `ui_locale=se de`, the preferred one first. */
const askedFor = (request: IncomingMessage): string[] =>
  (URL.parse(request.url ?? '/', 'http://gateway')?.searchParams.get('ui_locale') ?? '')
    .split(' ')
    .slice(0, mostLanguages);

/** The languages that the address and the cookie ask for. */
const chosen = (request: IncomingMessage): string[] => [
  ...askedFor(request),
  readCookie(request.headers.cookie ?? '', cookie) ?? '',
];

export const languageOf = (request: IncomingMessage): string =>
  chooseLocale(shippedLocales, [...chosen(request), ...acceptedLocales(request.headers)]);

/**
 * The language that the address or the cookie asks for, for a page of another site; '' = none. The
 * browser sends the languages that it accepts itself.
 */
export const chosenLanguage = (request: IncomingMessage): string =>
  chosen(request).flatMap((tag) => localesLike(shippedLocales, tag))[0] ?? '';

/** Keeps a language that the address asks for, until the browser closes or the user signs out. */
export function keepLanguage(
  request: IncomingMessage,
  response: ServerResponse,
  publicUrl: string,
): void {
  const [locale] = askedFor(request).flatMap((tag) => localesLike(shippedLocales, tag));
  if (locale !== undefined)
    response.appendHeader(
      'set-cookie',
      `${cookie}=${locale}; Path=/; SameSite=Lax${publicUrl.startsWith('https:') ? '; Secure' : ''}`,
    );
}

/** The headers of a page in a language. */
export const languageHeaders = (locale: string) => ({
  'content-language': locale,
  vary: 'accept, accept-language, accept-encoding, cookie',
});
