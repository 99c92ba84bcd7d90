import assert from 'node:assert/strict';

// A minimal browser between a service and an identity provider: it keeps cookies, follows
// redirects and fills in forms.

/** A loaded page and its URL. */
export type Page = { url: string; status: number; text: string };
export type Form = { action: string; method: string; fields: Record<string, string> };
export type Browser = {
  open(url: string): Promise<Page>;
  send(form: Form): Promise<Page>;
  /** The value of a cookie, or undefined if it is not set. */
  cookie(name: string): string | undefined;
};

/** `headers`: of each request. Browsers accept HTML, and programs get JSON. */
export function startBrowser(headers: Readonly<Record<string, string>> = {}): Browser {
  // One jar for all ports of the host, as in browsers.
  const jar = new Map<string, string>();

  async function load(url: string, init: RequestInit = {}, redirects = 10): Promise<Page> {
    assert.ok(redirects > 0, `too many redirects, the last one to ${url}`);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { ...headers, ...(cookie !== '' && { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      // The service expires the cookie.
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return { url, status: response.status, text: await response.text() };
    await response.body?.cancel();
    return load(new URL(location, url).href, {}, redirects - 1);
  }

  return {
    cookie: (name) => jar.get(name),
    open: (url) => load(url),
    send: ({ action, method, fields }) => {
      const body = new URLSearchParams(fields);
      return method === 'post'
        ? load(action, { method: 'POST', body })
        : load(`${action}?${body.toString()}`);
    },
  };
}

/** The first form of a page, with the values it sends if the user changes nothing. */
export function formOf({ url, text }: Page): Form {
  const [, attributes = '', inner = ''] = /<form([^>]*)>(.*?)<\/form>/s.exec(text) ?? [];
  assert.notEqual(inner, '', `no form on ${url}: ${text.slice(0, 500)}`);
  const fields = [...inner.matchAll(/<input[^>]*>/g)].map(
    ([input]) => [attributeOf(input, 'name'), attributeOf(input, 'value')] as const,
  );
  return {
    action: new URL(attributeOf(attributes, 'action'), url).href,
    method: attributeOf(attributes, 'method').toLowerCase() || 'get',
    fields: Object.fromEntries(fields.filter(([name]) => name !== '')),
  };
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const decode = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
const attributeOf = (tag: string, name: string): string =>
  decode(new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1] ?? '');
