import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { createPools, egressRules, pinned } from '@bailiwick/egress';
import { send } from './send.ts';

const open = egressRules({ hosts: [], cidrs: ['127.0.0.0/8'], ports: [] });
const closed = egressRules({ hosts: [], cidrs: [], ports: [] });
const pools = createPools({ connectMs: 500, totalMs: 2000, answerBytes: 16 * 1024 });
const never = new AbortController().signal;
const received: string[] = [];

const answers: Record<string, (response: ServerResponse) => void> = {
  '/ok?a=1': (response) => response.writeHead(200).end('fine'),
  '/big': (response) => response.writeHead(200).end('x'.repeat(200_000)),
  '/redirect': (response) => response.writeHead(302, { location: '/ok?a=1' }).end(),
  '/break': (response) => {
    response.writeHead(200, { 'content-length': 10 }).write('x');
    setTimeout(() => response.destroy(), 10);
  },
};

const server = createServer((request: IncomingMessage, response) => {
  received.push(request.url ?? '');
  request.resume().on('end', () => answers[request.url ?? '']?.(response));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
after(async () => {
  await pools.close();
  server.closeAllConnections();
  server.close();
});

const post = (url: string, egress = open, signal = never) =>
  send({ pools, egress }, { url, headers: {}, body: Buffer.from('{}'), signal });

test('a request posts to the path and query of the URL', async () => {
  assert.equal((await post(`${origin}/ok?a=1`)).status, 'delivered');
});

test('a request reads only the beginning of a large response, and uses its status', async () => {
  assert.equal((await post(`${origin}/big`)).status, 'delivered');
  assert.equal((await post(`${origin}/ok?a=1`)).status, 'delivered');
});

test('a request follows no redirect', async () => {
  received.length = 0;
  assert.equal((await post(`${origin}/redirect`)).error, 'redirect');
  assert.deepEqual(received, ['/redirect']);
});

test('a request whose receiver closes the connection early names this as its error', async () => {
  assert.equal((await post(`${origin}/break`)).error, 'aborted_by_receiver');
});

for (const url of [
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/latest',
  'https://2130706433/',
  'https://db.internal/',
]) {
  test(`a request opens no connection for ${url}`, async () => {
    assert.deepEqual(await post(url, closed), {
      status: 'retry',
      statusCode: 0,
      error: 'blocked_address',
      message: 'the address is not allowed for receivers',
    });
  });
}

test('a request does not count a cancelled attempt against the receiver', async () => {
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(post(`${origin}/ok?a=1`, open, controller.signal), { code: 'unavailable' });
});

test('a pinned look-up returns only the checked addresses', () => {
  const look = pinned([
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ]);
  look('rebound.example', { all: true }, (error, addresses) =>
    assert.deepEqual(
      [error, addresses],
      [
        null,
        [
          { address: '192.0.2.1', family: 4 },
          { address: '2001:db8::1', family: 6 },
        ],
      ],
    ),
  );
  look('rebound.example', { family: 6 }, (error, address, family) =>
    assert.deepEqual([error, address, family], [null, '2001:db8::1', 6]),
  );
});

test('only requests with the same origin and addresses share a connection', () => {
  const url = new URL('https://receiver.example/hook');
  const first = pools.for(url, [{ address: '192.0.2.1', family: 4 }]);
  assert.equal(
    pools.for(new URL('https://receiver.example/other'), [{ address: '192.0.2.1', family: 4 }]),
    first,
  );
  assert.notEqual(pools.for(url, [{ address: '192.0.2.2', family: 4 }]), first);
});
