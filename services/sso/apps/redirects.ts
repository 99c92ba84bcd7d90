import type { AppKind } from './entities.ts';

/** A scheme that reads as a domain of the app's vendor (RFC 8252, section 7.1), and a path. */
const ownScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\//;
const sameMachine = ['localhost', '127.0.0.1', '[::1]'];

/** The problem with an address that users return to, or undefined if it may be saved. */
export function redirectProblem(text: string, kind: AppKind): string | undefined {
  const url = URL.parse(text);
  if (!url) return 'must be a URL';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  const isPlain = url.protocol === 'http:' && sameMachine.includes(url.hostname);
  if (url.protocol !== 'https:' && !isPlain) {
    if (kind !== 'native') return 'must begin with https://, or with http:// on the same machine';
    if (!ownScheme.test(text))
      return 'must begin with https://, with http:// on the same machine, or with a scheme such as com.example.app:/';
  }
  // Addresses are compared as texts: one that a browser rewrites would never match, or match another.
  return [text, `${text}/`].includes(url.href)
    ? undefined
    : `must be in its normal form, without a default port and dot segments: ${url.href}`;
}
