/**
 * Where the user goes after a sign-in. `origin` is the application that gets a code; empty = an
 * address of this service, where the browser has its session.
 */
export type ReturnAddress = { returnTo: string; origin: string };

/** The addresses that users may return to. `appUrl` is the default, '' = none. */
export type ReturnRules = {
  publicUrl: string;
  appUrl: string;
  allowedOrigins: readonly string[];
};

const maxLength = 2048;
/** A path of this service: "//host" and "/\host" would lead to another one. */
const ownPath = /^\/(?![/\\])[^\s\\]*$/;

/**
 * Parses an address to return to: a path below the public URL, or a URL with an allowed origin.
 * Returns undefined for others. Without an address the user goes to the application's, or back to
 * the sign-in page. A page below /auth/ is refused: it begins another sign-in, which could lead back
 * to it for ever.
 */
export function readReturnAddress(
  text: string,
  { publicUrl, appUrl, allowedOrigins }: ReturnRules,
): ReturnAddress | undefined {
  const address = text || appUrl || '/login';
  const own = new URL(publicUrl).origin;
  const url =
    address.length <= maxLength && isText(address)
      ? URL.parse(ownPath.test(address) ? `${publicUrl}${address}` : address)
      : null;
  // A blob: URL has an origin, too.
  if (!url || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  if (url.origin === own)
    return url.href.startsWith(`${publicUrl}/auth/`)
      ? undefined
      : { returnTo: url.href, origin: '' };
  const isAllowed = [...allowedOrigins, URL.parse(appUrl)?.origin].includes(url.origin);
  return isAllowed ? { returnTo: url.href, origin: url.origin } : undefined;
}

/**
 * Whether an address leads to a sign-in here: on the sign-in page, at a provider or for an app. As
 * the application of a tenant it would lead the members back to it for ever.
 */
export function leadsToSignIn(address: string, { publicUrl }: ReturnRules): boolean {
  const href = URL.parse(address)?.href ?? '';
  if (!href.startsWith(`${publicUrl}/`)) return false;
  return /^\/(login([?#]|$)|(auth|oauth)\/)/.test(href.slice(publicUrl.length));
}

/** The stored address of a tenant's application if users may still go to it, else ''. */
export const stillAllowed = (address: string, rules: ReturnRules): string =>
  address !== '' && !leadsToSignIn(address, rules) && readReturnAddress(address, rules)
    ? address
    : '';

// The URL parser drops tabs and line breaks, and treats a backslash as a slash, so it would read
// such a text differently than people do.
const isText = (text: string) => !/[\s\\\p{Cc}]/u.test(text);

/** Adds the code that the application exchanges for a session. */
export function withCode(returnTo: string, code: string): string {
  const url = new URL(returnTo);
  url.searchParams.set('code', code);
  return url.href;
}
