import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { RequestFailed } from './failure.ts';
import { createPools } from './pools.ts';
import { request } from './request.ts';
import { egressRules } from './rules.ts';

const limits = { totalMs: 2000, answerBytes: 256 * 1024 };
const pools = createPools({ connectMs: 500, ...limits });
const egress = egressRules({ hosts: [], cidrs: ['127.0.0.0/8'], ports: [] });
const packed = gzipSync('{"packed":true}');
const requests: string[] = [];

const server = createServer(({ method, url, headers }, response) => {
  requests.push(`${method} ${url} ${headers.accept}`);
  if (url === '/document')
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"issuer":"https://idp.example"}');
  else if (url === '/limit') response.end('x'.repeat(limits.answerBytes));
  else if (url === '/beyond') response.end('x'.repeat(limits.answerBytes + 1));
  else if (url === '/packed') response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed);
  else if (url === '/moved') response.writeHead(302, { location: '/document' }).end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(async () => {
  await pools.close();
  server.closeAllConnections();
  server.close();
});

const get = (path: string, over: { limits?: typeof limits; signal?: AbortSignal } = {}) =>
  request(
    { pools, egress },
    {
      method: 'GET',
      url: `${origin}${path}`,
      headers: { accept: 'application/json' },
      limits,
      signal: new AbortController().signal,
      ...over,
    },
  );

test('a document is fetched with its status, headers and bytes', async () => {
  const { status, headers, body, truncated } = await get('/document');
  assert.deepEqual([status, headers['content-type'], truncated], [200, 'application/json', false]);
  assert.equal(body.toString(), '{"issuer":"https://idp.example"}');
  assert.deepEqual(requests, ['GET /document application/json']);
});

test('a body is truncated at the limit, and the result says so', async () => {
  const whole = await get('/limit');
  assert.deepEqual([whole.body.length, whole.truncated], [limits.answerBytes, false]);
  const cut = await get('/beyond');
  assert.deepEqual([cut.body.length, cut.truncated], [limits.answerBytes, true]);
});

test('a compressed body is not decompressed', async () => {
  assert.deepEqual((await get('/packed')).body, packed);
});

test('a redirect is returned as a response', async () => {
  requests.length = 0;
  const { status, headers } = await get('/moved');
  assert.deepEqual([status, headers.location, requests.length], [302, '/document', 1]);
});

test('a request without a response fails with a documented name, and a cancelled one with unavailable', async () => {
  const late = get('/never', { limits: { ...limits, totalMs: 100 } });
  await assert.rejects(
    late,
    (error: unknown) => error instanceof RequestFailed && error.failure === 'timeout',
  );
  const cancelled = new AbortController();
  setTimeout(() => cancelled.abort(), 50);
  await assert.rejects(get('/never', { signal: cancelled.signal }), { code: 'unavailable' });
});
