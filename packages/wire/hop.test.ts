import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect as connectHttp2, type Http2ServerResponse } from 'node:http2';
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { type TestContext, test } from 'node:test';
import { toServiceError } from '@bailiwick/errors';
import { hopAgent, listenHttp, unprocessedHeader } from '@bailiwick/process';
import { Groups } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { Code, createClient } from '@connectrpc/connect';
import { asService } from './rpc.ts';
import { createHttpTransport } from './rpc-http.ts';
import { listenHttp2 } from './serve-http2.ts';

// How calls over HTTP behave when servers and connections end, each case alone.

async function listen(t: TestContext, server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function clientOf(t: TestContext, url: string) {
  const transport = createHttpTransport({ url, audience: 'test', sign: () => 'token' });
  t.after(() => transport.close());
  return createClient(Groups, asService(transport, 'test'));
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const ok: Answer = (_, response) =>
  void response.writeHead(200, { 'content-type': 'application/proto', 'content-length': 0 }).end();

/**
 * A service that answers probes, and answers its calls with the given answers in order, repeating
 * the last one.
 */
async function scripted(t: TestContext, ...answers: Answer[]) {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'HEAD') return void response.writeHead(204).end();
    calls.push(request.url?.split('/').at(-1) ?? '');
    request
      .resume()
      .on('end', () => answers[Math.min(calls.length, answers.length) - 1]?.(request, response));
  });
  return { groups: clientOf(t, await listen(t, server)), calls };
}

test('a connection that reaches no process is closed unused, and the call uses the next one', async (t) => {
  const { port } = new URL(
    await listen(
      t,
      createServer((request, response) =>
        request.method === 'HEAD' ? response.writeHead(204).end() : ok(request, response),
      ),
    ),
  );
  let connections = 0;
  const proxy = createTcpServer((client) => {
    connections += 1;
    // Like a proxy that accepts a connection and then finds no upstream.
    if (connections <= 2) return void client.destroy();
    const upstream = connect(Number(port), '127.0.0.1');
    client
      .on('error', () => {})
      .pipe(upstream)
      .on('error', () => {})
      .pipe(client);
  });
  await clientOf(t, await listen(t, proxy)).save({});
  assert.equal(connections, 3);
});

test('a call that the service reports as unprocessed is retried, even if it has side effects', async (t) => {
  const { groups, calls } = await scripted(
    t,
    (_, response) =>
      void response.writeHead(408, { [unprocessedHeader]: '1', connection: 'close' }).end(),
    ok,
  );
  await groups.save({});
  assert.deepEqual(calls, ['Save', 'Save']);
});

test('a call without a response is retried only if it has no side effects', async (t) => {
  const cut: Answer = (request) => request.socket.destroy();
  const reads = await scripted(t, cut, cut, ok);
  await reads.groups.get({});
  assert.deepEqual(reads.calls, ['Get', 'Get', 'Get']);
  const writes = await scripted(t, cut, ok);
  assert.equal(
    (await writes.groups.save({}).then(() => assert.fail(), toServiceError)).code,
    'unavailable',
  );
  assert.deepEqual(writes.calls, ['Save']);
});

test('an error response of a proxy is not taken for one of the service', async (t) => {
  const bad: Answer = (_, response) =>
    void response.writeHead(503, { 'content-type': 'text/plain' }).end('no healthy upstream');
  const reads = await scripted(t, bad, ok);
  await reads.groups.get({});
  const writes = await scripted(t, bad, ok);
  assert.equal(
    (await writes.groups.save({}).then(() => assert.fail(), toServiceError)).code,
    'unavailable',
  );
  assert.deepEqual(writes.calls, ['Save']);
});

test('a page that a proxy sends with 200 is no message, even if it is empty', async (t) => {
  for (const type of ['text/html', 'application/json']) {
    const page: Answer = (_, response) =>
      void response.writeHead(200, { 'content-type': type, 'content-length': 0 }).end();
    const reads = await scripted(t, page, ok);
    await reads.groups.get({});
    assert.deepEqual(reads.calls, ['Get', 'Get']);
    const writes = await scripted(t, page, ok);
    assert.equal(
      (await writes.groups.save({}).then(() => assert.fail(), toServiceError)).code,
      'unavailable',
    );
    assert.deepEqual(writes.calls, ['Save']);
  }
});

test('a call that ends by its deadline or its caller says so', async (t) => {
  const { groups, calls } = await scripted(t, () => {});
  await assert.rejects(groups.save({}, { timeoutMs: 300 }), { code: Code.DeadlineExceeded });
  const caller = new AbortController();
  const cancelled = groups.save({}, { signal: caller.signal });
  while (calls.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  caller.abort();
  await assert.rejects(cancelled, { code: Code.Canceled });
});

/** Sends raw text and collects the response until the connection ends. */
async function exchange(port: number, text: string, meanwhile: () => unknown): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (chunk) => (received += String(chunk)));
  socket.write(text);
  while (!received.includes('done')) await once(socket, 'data');
  meanwhile();
  await once(socket, 'close');
  return received.slice(received.indexOf('done') + 4);
}

test('a draining listener sends 408 on idle connections of our own client, and just closes others', async () => {
  for (const agent of [hopAgent, 'another']) {
    const listener = await listenHttp('127.0.0.1', 0, (_, response) => void response.end('done'));
    let drained: Promise<void> | undefined;
    const rest = await exchange(
      listener.port,
      `GET / HTTP/1.1\r\nhost: x\r\nuser-agent: ${agent}\r\n\r\n`,
      () => (drained = listener.drain()),
    );
    if (agent === hopAgent)
      assert.match(rest, /^HTTP\/1\.1 408 .*\r\nx-bailiwick-unprocessed: 1\r\n/);
    else assert.equal(rest, '');
    await drained;
  }
});

test('a listener without keep-alive closes each connection with its next response, and still accepts new ones', async () => {
  const answers: ServerResponse[] = [];
  const listener = await listenHttp('127.0.0.1', 0, (request, response) =>
    request.url === '/slow' ? void answers.push(response) : void response.end('done'),
  );
  const url = `http://127.0.0.1:${listener.port}`;
  const slow = fetch(`${url}/slow`);
  while (answers.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  listener.disableKeepAlive();
  assert.equal((await fetch(url)).headers.get('connection'), 'close');
  answers[0]?.end('done');
  assert.equal((await slow).headers.get('connection'), 'close', 'also for calls in flight');
  await listener.drain();
  await assert.rejects(fetch(url));
});

async function beginOverHttp(t: TestContext) {
  const exchange = Promise.withResolvers<ServerResponse>();
  const listener = await listenHttp('127.0.0.1', 0, (_, response) => exchange.resolve(response));
  const call = connect(listener.port, '127.0.0.1');
  t.after(() => call.destroy());
  call.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const response = await exchange.promise;
  return { listener, call, say: (word: string) => response.write(word) };
}

async function beginOverHttp2(t: TestContext) {
  const exchange = Promise.withResolvers<Http2ServerResponse>();
  const listener = await listenHttp2(
    '127.0.0.1',
    0,
    (_, response) => exchange.resolve(response),
    {},
  );
  const session = connectHttp2(`http://127.0.0.1:${listener.port}`).on('error', () => {});
  t.after(() => session.destroy());
  const call = session.request();
  const response = await exchange.promise;
  return { listener, call, say: (word: string) => response.write(word) };
}

for (const [wire, begin] of [
  ['HTTP/1.1', beginOverHttp],
  ['HTTP/2', beginOverHttp2],
] as const) {
  test(`a draining listener gives calls in flight over ${wire} 25 s before it closes them`, {
    timeout: 10_000,
  }, async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    // Deno does not reset the timers at the end of a test.
    t.after(() => t.mock.timers.reset());
    const { listener, call, say } = await begin(t);
    const closed = new Promise((resolve) => call.on('error', () => {}).once('close', resolve));
    let isDrained = false;
    const drained = listener.drain().then(() => (isDrained = true));
    t.mock.timers.tick(24_900);
    say('still here');
    await once(call, 'data');
    assert.equal(isDrained, false);
    t.mock.timers.tick(100);
    await Promise.all([closed, drained]);
  });
}
