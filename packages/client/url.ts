/**
 * Normalises the URL of Bailiwick, without a trailing slash.
 * @throws TypeError without the URL, since it can contain a password
 */
export function readUrl(text: string): string {
  if (!URL.canParse(text))
    throw new TypeError('the url must be absolute, such as https://iam.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`the url must be http or https, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('the url must not have a user, query or fragment');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
