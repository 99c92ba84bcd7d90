import { SignInRefused } from './refusal.ts';

/** Where somebody goes after signing in. `origin` is an application's, which gets a code; empty = the browser keeps a session. */
export type ReturnTarget = { returnTo: string; origin: string };

type Rules = { publicUrl: string; allowedOrigins: readonly string[] };

const maxLength = 2048;
/** A path of ours: "//host" and "/\host" would be somebody else's. */
const ownPath = /^\/(?![/\\])[^\s\\]*$/;

/** Reads `return_to`: a path below the public URL, or an address at an origin that the installation allows. Throws SignInRefused for others. */
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

// The URL parser drops tabs and line breaks, and takes a backslash for a slash: what it makes of such a text is not what anybody reads.
const isText = (text: string) => !/[\s\\\p{Cc}]/u.test(text);

/** The address with the code that the application exchanges for a session. */
export function withCode(returnTo: string, code: string): string {
  const url = new URL(returnTo);
  url.searchParams.set('code', code);
  return url.href;
}
