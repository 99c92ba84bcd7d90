import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientOptions, createClient } from './client.ts';
import {
  BailiwickError,
  CallTimeoutError,
  NotFoundError,
  PermissionDeniedError,
  ResourceExhaustedError,
  UnavailableError,
} from './errors.ts';

// The client against fake gateways, which fail in ways that a real one seldom does.

type ReceivedRequest = { url: string; headers: IncomingMessage['headers']; body: string };
type Reply =
  | { status: number; body?: unknown; headers?: Record<string, string> }
  | ((response: ServerResponse) => void);

/** Answers each call with the next of `replies`, and repeats the last one. */
async function startGateway(t: TestContext, ...replies: Reply[]) {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      requests.push({ url: request.url ?? '', headers: request.headers, body });
      const reply = replies[Math.min(requests.length, replies.length) - 1];
      if (typeof reply === 'function') return reply(response);
      response.writeHead(reply?.status ?? 500, reply?.headers);
      response.end(
        typeof reply?.body === 'string' ? reply.body : JSON.stringify(reply?.body ?? {}),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    requests,
    url,
    client: (options: Partial<ClientOptions> = {}) => createClient({ url, ...options }),
  };
}

const failure = (status: number, Code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { Code, Reason: 'STALE', Message: 'one', Messages: ['one', 'two'], RequestID: 'r-1' },
});
const ok = (body: unknown = {}): Reply => ({ status: 200, body });
const group = { Tenant: 'tnt_1', Path: 'eng' };

test('a call is one POST of JSON with the token, below the path of the url', async (t) => {
  const gateway = await startGateway(t, ok({ Group: null }));
  const answer = await createClient({
    url: `${gateway.url}/iam/`,
    token: () => Promise.resolve('bwks_x'),
    userAgent: 'tests',
  }).call('Groups_Get', group);
  assert.deepEqual(answer, { Group: null });
  const [{ url, headers, body } = assert.fail()] = gateway.requests;
  assert.deepEqual(
    [url, headers.authorization, headers['user-agent'], JSON.parse(body)],
    ['/iam/Groups_Get', 'Bearer bwks_x', 'tests', group],
  );
});

test('a call without a token has no Authorization header, and an invalid token is not in the error', async (t) => {
  const gateway = await startGateway(t, ok({ Redirect: '' }));
  await gateway.client({ token: () => undefined }).call('Sso_Check', { Email: 'ada@example.com' });
  assert.equal(gateway.requests[0]?.headers.authorization, undefined);
  const broken = gateway.client({ token: 'bwks_secret\n' }).call('Groups_Get', group);
  await assert.rejects(broken, (error: Error) => !error.message.includes('secret'));
  assert.equal(gateway.requests.length, 1);
});

test('an error has the class of its Code, and the Reason, Messages and RequestID of the response', async (t) => {
  const gateway = await startGateway(t, failure(400, 'not_found'), failure(400, 'from_tomorrow'));
  await assert.rejects(gateway.client().call('Groups_Delete', group), (error) => {
    assert.ok(error instanceof NotFoundError && error instanceof BailiwickError);
    assert.deepEqual(
      [error.name, error.status, error.Code, error.Reason, error.Messages, error.RequestID],
      ['NotFoundError', 400, 'not_found', 'STALE', ['one', 'two'], 'r-1'],
    );
    assert.equal(error.message, 'Groups_Delete: one; two');
    return true;
  });
  await assert.rejects(
    gateway.client().call('Groups_Delete', group),
    (error) => error instanceof BailiwickError && error.Code === 'from_tomorrow',
  );
});

test('after 429 every operation is retried, not before Retry-After', async (t) => {
  const gateway = await startGateway(
    t,
    failure(429, 'resource_exhausted', { 'retry-after': '1' }),
    ok(),
  );
  const started = performance.now();
  assert.deepEqual(await gateway.client().call('Groups_Delete', group), {});
  assert.ok(performance.now() - started > 990);
  assert.equal(gateway.requests.length, 2);
});

test('retries are limited, and a Retry-After above maxWaitMs fails at once', async (t) => {
  const quick = await startGateway(t, failure(429, 'resource_exhausted', { 'retry-after': '0' }));
  await assert.rejects(
    quick.client({ retries: 2 }).call('Groups_Delete', group),
    ResourceExhaustedError,
  );
  assert.equal(quick.requests.length, 3);
  const slow = await startGateway(t, failure(429, 'resource_exhausted', { 'retry-after': '3600' }));
  await assert.rejects(
    slow.client().call('Groups_Get', group),
    (error) => error instanceof ResourceExhaustedError && error.retryAfter === 3600,
  );
  assert.equal(slow.requests.length, 1);
});

test('after 500 or a broken connection a call is retried if it has no side effects or an Idempotency-Key', async (t) => {
  const cut: Reply = (response) => response.destroy();
  for (const broken of [failure(500, 'unavailable'), failure(500, 'internal'), cut]) {
    const gateway = await startGateway(t, broken, ok({ Group: null }));
    assert.deepEqual(await gateway.client().call('Groups_Get', group), { Group: null });
    assert.equal(gateway.requests[0]?.headers['idempotency-key'], undefined);
    const writing = await startGateway(t, broken, ok());
    assert.deepEqual(await writing.client().call('Groups_Delete', group), {});
    const keys = writing.requests.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
    assert.deepEqual(keys, [keys[0], keys[0]], 'the retry has the key of the first attempt');
    await writing.client().call('Groups_Delete', group);
    assert.notEqual(
      writing.requests.at(-1)?.headers['idempotency-key'],
      keys[0],
      'another call has another key',
    );
    await writing.client().call('Groups_Delete', group, { idempotencyKey: 'mine' });
    assert.equal(writing.requests.at(-1)?.headers['idempotency-key'], 'mine');
    const anonymous = await startGateway(t, broken, ok());
    await assert.rejects(
      anonymous
        .client()
        .call(
          'Account_ResendVerification',
          { Email: 'ada@example.com' },
          { idempotencyKey: 'mine' },
        ),
      BailiwickError,
    );
    assert.deepEqual(
      [anonymous.requests.length, anonymous.requests[0]?.headers['idempotency-key']],
      [1, undefined],
    );
  }
  const refusing = await startGateway(t, failure(403, 'permission_denied'));
  await assert.rejects(refusing.client().call('Groups_Get', group), PermissionDeniedError);
  assert.equal(refusing.requests.length, 1);
});

test('a refused connection is an UnavailableError with the cause', async (t) => {
  const gateway = await startGateway(t, ok());
  const client = gateway.client({ url: 'http://127.0.0.1:1', retries: 1 });
  await assert.rejects(
    client.call('Groups_Get', group),
    (error) =>
      error instanceof UnavailableError && error.status === 0 && error.cause instanceof TypeError,
  );
});

test('an aborted signal ends a call at once, even between retries', async (t) => {
  const gateway = await startGateway(
    t,
    failure(429, 'resource_exhausted', { 'retry-after': '20' }),
  );
  const controller = new AbortController();
  const call = gateway.client().call('Groups_Get', group, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error('enough')), 100);
  const started = performance.now();
  await assert.rejects(call, /^Error: enough$/);
  assert.ok(performance.now() - started < 5000);
  await assert.rejects(
    gateway.client().call('Groups_Get', group, { signal: AbortSignal.abort() }),
    { name: 'AbortError' },
  );
  assert.equal(gateway.requests.length, 1);
});

test('timeoutMs includes the retries of a call', async (t) => {
  const silent = await startGateway(t, () => {});
  await assert.rejects(
    silent.client({ timeoutMs: 100 }).call('Groups_Delete', group),
    CallTimeoutError,
  );
  const busy = await startGateway(t, failure(429, 'resource_exhausted', { 'retry-after': '20' }));
  await assert.rejects(
    busy.client().call('Groups_Delete', group, { timeoutMs: 100 }),
    (error) => error instanceof CallTimeoutError && error.status === 0,
  );
  const answering = await startGateway(t, ok());
  await answering.client().call('Groups_Delete', group, { timeoutMs: Number.POSITIVE_INFINITY });
  const unsigned = answering.client({ token: () => new Promise(() => {}), timeoutMs: 100 });
  await assert.rejects(unsigned.call('Groups_Delete', group), CallTimeoutError);
});

test('the caller’s signal ends a stream, and its listener is removed when the stream ends', async (t) => {
  const csv: Reply = { status: 200, body: 'one\r\n', headers: { 'content-type': 'text/csv' } };
  const endless: Reply = (response) => void response.writeHead(200).write('one\r\n');
  const cut: Reply = (response) => {
    endless(response);
    setTimeout(() => response.destroy(), 50);
  };
  const gateway = await startGateway(t, csv, cut, endless, endless);
  const controller = new AbortController();
  const { signal } = controller;
  const stream = () => gateway.client().stream('Audit_Export', { Tenant: 'tnt_1' }, { signal });
  const listeners = async () => {
    await sleep(50);
    return getEventListeners(signal, 'abort').length;
  };
  assert.equal(await (await stream()).text(), 'one\r\n');
  await assert.rejects((await stream()).text());
  const response = await stream();
  assert.equal(await listeners(), 1);
  await response.body?.cancel();
  assert.equal(await listeners(), 0);
  const aborted = (await stream()).text();
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, /enough/);
});

test('list iterates over all pages with the same filter, and fetches a page only when it is read', async (t) => {
  const page = (Items: string[], NextCursor: string): Reply => ok({ Page: { Items, NextCursor } });
  const gateway = await startGateway(t, page(['a', 'b'], 'c1'), page([], 'c2'), page(['c'], ''));
  const request = { Tenant: 'tnt_1', Group: 'eng', Page: { Limit: 2 } };
  const ids: string[] = [];
  for await (const id of gateway.client().list('Groups_ListMembers', request)) ids.push(id);
  assert.deepEqual(ids, ['a', 'b', 'c']);
  const requests = gateway.requests.map(({ body }) => JSON.parse(body) as typeof request);
  assert.deepEqual(
    requests,
    ['', 'c1', 'c2'].map((Cursor) => ({ ...request, Page: { Limit: 2, Cursor } })),
  );
  const endless = await startGateway(t, page(['a'], 'again'));
  for await (const _ of endless.client().list('Groups_ListMembers', request)) break;
  assert.equal(endless.requests.length, 1);
});

test('timeoutMs does not limit a stream that has begun, and a cut-off stream is an error', async (t) => {
  const gateway = await startGateway(
    t,
    (response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('one\r\n');
      setTimeout(() => response.end('two\r\n'), 1200);
    },
    (response) => {
      response.writeHead(200, { 'content-type': 'text/csv' });
      response.write('one\r\n');
      setTimeout(() => response.destroy(), 50);
    },
  );
  const client = gateway.client({ timeoutMs: 800 });
  const whole = await client.stream('Audit_Export', { Tenant: 'tnt_1', Format: 'csv' });
  assert.equal(whole.headers.get('content-type'), 'text/csv');
  assert.equal(await whole.text(), 'one\r\ntwo\r\n');
  const broken = await client.stream('Audit_Export', { Tenant: 'tnt_1' });
  await assert.rejects(broken.text());
});

test('a response that is not from Bailiwick is an error, and redirects are not followed', async (t) => {
  const page = await startGateway(t, { status: 200, body: '<html>' });
  await assert.rejects(page.client().call('Groups_Get', group), /is this the address of Bailiwick/);
  const elsewhere = await startGateway(t, ok({ Group: null }));
  const redirecting = await startGateway(t, {
    status: 307,
    headers: { location: `${elsewhere.url}/Groups_Get` },
  });
  await assert.rejects(
    redirecting.client({ token: 'bwks_x' }).call('Groups_Get', group),
    (error: Error) => {
      assert.equal(
        error.message,
        `Groups_Get: redirected to ${elsewhere.url}/Groups_Get: is this the right address?`,
      );
      return true;
    },
  );
  assert.equal(elsewhere.requests.length, 0);
  const proxy = await startGateway(t, { status: 502, body: '<html>bad gateway</html>' });
  await assert.rejects(
    proxy.client().call('Groups_Delete', group),
    (error) => error instanceof UnavailableError && error.status === 502,
  );
});

test('createClient rejects an invalid url', () => {
  for (const url of [
    '',
    'localhost:8080',
    'ftp://example.com',
    'https://user:hunter22@example.com',
    'https://:hunter22@example.com',
    'https://example.com/?a=b',
  ]) {
    assert.throws(
      () => createClient({ url }),
      (error) => error instanceof TypeError && !error.message.includes('hunter22'),
      url,
    );
  }
});
