import type { Stack } from '../../support/harness.ts';
import { sessionCookie } from '../home.ts';

/** Where a browser ends up: a page of ours, or an address of another site, which is not opened. */
export type Arrival = { url: URL; status: number; text: string };

export type Visitor = ReturnType<typeof startVisitor>;

/** A browser that keeps cookies with their paths and follows redirects on our site. */
export function startVisitor({ url: site }: Pick<Stack, 'url'>, token = '') {
  const jar = new Map<string, { name: string; value: string; path: string }>();
  const keep = (name: string, cookie: string, path = '/') =>
    jar.set(`${name} ${path}`, { name, value: cookie, path });
  const signIn = (session: string) => keep(sessionCookie, session);
  if (token !== '') signIn(token);

  function store(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const equals = pair.indexOf('=');
    const [name, value] = [pair.slice(0, equals), pair.slice(equals + 1)];
    const path = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? '/';
    const isOver = attributes.some((each) => /^(max-age=0|expires=Thu, 01 Jan 1970)/i.test(each));
    if (isOver) jar.delete(`${name} ${path}`);
    else keep(name, value, path);
  }

  async function open(
    address: string | URL,
    init: RequestInit = {},
    redirects = 12,
  ): Promise<Arrival> {
    const url = new URL(address, site);
    if (url.origin !== site || redirects === 0) return { url, status: 0, text: '' };
    const cookie = [...jar.values()]
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie, ...(init.headers as Record<string, string>) },
    });
    for (const line of response.headers.getSetCookie()) store(line);
    const location = response.headers.get('location');
    const text = await response.text();
    return location === null
      ? { url, status: response.status, text }
      : open(new URL(location, url), {}, redirects - 1);
  }

  return {
    open,
    /** Sends the form of a page, with these fields too. */
    async sendForm(
      { text, url }: Arrival,
      fields: Record<string, string> = {},
      headers: Record<string, string> = {},
    ): Promise<Arrival> {
      const action = /<form[^>]*action="([^"]*)"/.exec(text)?.[1] ?? '';
      const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
      const body = new URLSearchParams({
        ...Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value])),
        ...fields,
      });
      return open(new URL(action, url), { method: 'POST', body, headers });
    },
    /** Goes on with a session of ours. */
    signIn,
    has: (name: string) => [...jar.values()].some((each) => each.name === name),
  };
}
