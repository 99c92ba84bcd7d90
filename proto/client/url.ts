/** The address of Bailiwick in one spelling, without a slash at its end. Throws a TypeError, which repeats nothing: there may be a password in it. */
export function readUrl(text: string): string {
  if (!URL.canParse(text))
    throw new TypeError('the url must be a whole address: https://iam.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError(`the url must be http or https, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('the url must have no user, query or fragment');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}
