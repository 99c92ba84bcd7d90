import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { AccessLimits, Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { createRouterTransport } from '@connectrpc/connect';
import { createLogos } from './logos.ts';

type Logo = { version: string; content: Buffer };

test('a gateway asks for the bytes of a logo once, and for the tenant each time', async () => {
  const tenant = createId('tnt');
  let logo: Logo | undefined = { version: 'v1', content: Buffer.from('first') };
  const versions: string[] = [];
  const access = createRouterTransport(({ rpc }) => {
    rpc(AccessLimits.method.take, () => ({}));
    rpc(Authority.method.getLogo, ({ knownVersion }) => {
      versions.push(knownVersion);
      if (!logo) return {};
      const isKnown = knownVersion !== '' && logo.version === knownVersion;
      return { type: 'image/png', ...logo, ...(isKnown && { content: Buffer.alloc(0) }) };
    });
  });
  const send = createLogos({ access, sso: access }, { logo: undefined, icon: undefined });
  const pathname = `/brand/${tenant}/logo`;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isSent = await send(request, response, { pathname, ip: '192.0.2.1' });
    if (!isSent) response.writeHead(404).end();
  };
  const server = createServer((request, response) => void answer(request, response)).listen(
    0,
    '127.0.0.1',
  );
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const read = async (headers = {}) => {
    const answer = await fetch(url, { headers });
    const etag = answer.headers.get('etag') ?? '';
    return { status: answer.status, body: await answer.text(), etag };
  };
  try {
    const first = await read();
    assert.deepEqual([first.status, first.body], [200, 'first']);
    assert.deepEqual(await read(), first);
    assert.equal((await read({ 'if-none-match': first.etag })).status, 304);
    logo = { version: 'v2', content: Buffer.from('second') };
    const second = await read({ 'if-none-match': first.etag });
    assert.deepEqual([second.status, second.body], [200, 'second']);
    // A service of the previous version names none.
    logo = { version: '', content: Buffer.from('third') };
    for (let times = 0; times < 2; times++) assert.equal((await read()).body, 'third');
    logo = undefined;
    assert.equal((await read({ 'if-none-match': second.etag })).status, 404);
    assert.deepEqual(versions, ['', 'v1', 'v1', 'v1', 'v2', 'v2', 'v2']);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
