import type { IncomingMessage } from 'node:http';

// Two names of this machine lead to a gateway on it. Its links have one of them, and cookies,
// passkeys and sign-ins at providers belong to that one.

const isLocal = (hostname: string): boolean => hostname === 'localhost' || hostname === '127.0.0.1';

/** The origins of a gateway's own pages: that of its public URL, and the other name of this machine. */
export function ownOrigins(publicUrl: string): readonly string[] {
  const { origin, protocol, hostname, host } = new URL(publicUrl);
  if (protocol !== 'http:' || !isLocal(hostname)) return [origin];
  const other = hostname === 'localhost' ? '127.0.0.1' : 'localhost';
  return [origin, `http://${host.replace(hostname, other)}`];
}

/**
 * Where to send a browser that opened a page at the address in place of the name, such as
 * http://127.0.0.1:8080 or http://[::1]:8080. Undefined for all other requests.
 */
export function createOtherName(
  publicUrl: string,
): (request: Pick<IncomingMessage, 'headers' | 'method' | 'url'>) => string | undefined {
  const [own = ''] = ownOrigins(publicUrl);
  const { protocol, hostname, host } = new URL(own);
  const otherHosts =
    protocol === 'http:' && hostname === 'localhost'
      ? ['127.0.0.1', '[::1]'].map((address) => host.replace(hostname, address))
      : [];
  return ({ headers, method, url = '/' }) => {
    const isPage = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
    if (!isPage || !otherHosts.includes(headers.host ?? '')) return undefined;
    return url.startsWith('/') ? `${own}${url}` : undefined;
  };
}

/** Reads the site of a page that calls; '' = none. Both names of this machine are its public URL's. */
export function createOrigin(publicUrl: string): (request: IncomingMessage) => string {
  const [own = '', other] = ownOrigins(publicUrl);
  return ({ headers: { origin = '' } }) => (origin === other ? own : origin.slice(0, 256));
}
