import { SignInRefused } from '../refusal.ts';

/**
 * Where the user goes after a sign-in. `origin` is the application that gets a code; empty = the
 * browser keeps a session.
 */
export type ReturnTarget = { returnTo: string; origin: string };

type Rules = { publicUrl: string; allowedOrigins: readonly string[] };

const maxLength = 2048;
/** A path of this service: "//host" and "/\host" would lead to another one. */
const ownPath = /^\/(?![/\\])[^\s\\]*$/;

/**
 * Parses `return_to`: a path below the public URL, or a URL with an allowed origin. Throws
 * SignInRefused for others.
 */
export function readReturn(text: string, { publicUrl, allowedOrigins }: Rules): ReturnTarget {
  if (text === '') return { returnTo: `${publicUrl}/login`, origin: '' };
  const own = new URL(publicUrl).origin;
  const url =
    text.length <= maxLength && isText(text)
      ? URL.parse(ownPath.test(text) ? `${publicUrl}${text}` : text)
      : null;
  const isOwn = url?.origin === own;
  if (
    !url ||
    url.username !== '' ||
    url.password !== '' ||
    !(isOwn || allowedOrigins.includes(url.origin))
  )
    throw new SignInRefused(
      'RETURN_FOREIGN',
      'the address to return to is not at an allowed origin',
    );
  return { returnTo: url.href, origin: isOwn ? '' : url.origin };
}

// The URL parser drops tabs and line breaks, and treats a backslash as a slash, so it would read
// such a text differently than people do.
const isText = (text: string) => !/[\s\\\p{Cc}]/u.test(text);

/** Adds the code that the application exchanges for a session. */
export function withCode(returnTo: string, code: string): string {
  const url = new URL(returnTo);
  url.searchParams.set('code', code);
  return url.href;
}
