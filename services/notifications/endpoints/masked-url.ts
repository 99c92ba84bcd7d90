/** Words of a path are shorter. A longer segment may be a token. */
const longestSegment = 20;

/**
 * A receiver URL without what may be a secret: user information, long segments of the path and the
 * whole query. `https://hooks.example.com/in/Zx81…?key=1` becomes `https://hooks.example.com/in/…?…`.
 */
export function maskedUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed) return '';
  const path = parsed.pathname
    .split('/')
    .map((segment) => (segment.length > longestSegment ? '…' : segment))
    .join('/');
  return `${parsed.origin}${path}${parsed.search === '' ? '' : '?…'}`;
}
