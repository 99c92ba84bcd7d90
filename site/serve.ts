import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { base, openGuides } from '@bailiwick/gateway/documents/guides.ts';

export type SiteServer = { url: string; close: () => void };

/**
 * Serves a built site on a loopback port, as the gateway does: same files, same headers.
 * @param prefix the path of a public URL, such as `/iam`
 */
export async function serveSite(out: string, { port = 0, prefix = '' } = {}): Promise<SiteServer> {
  const guides = openGuides(pathToFileURL(`${out}/`));
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site');
    const own = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname;
    if (own === '/') return void response.writeHead(302, { location: prefix + base }).end();
    if (!guides.has(own)) return void response.writeHead(404).end();
    guides.send(request, response, own, prefix).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', resolve),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}${base}`;
  return { url, close: () => server.close().closeAllConnections() };
}
