import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@bailiwick/contract';
import pg from 'pg';
import { type Answer, describeOne, type Stack, startStack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { rawRequest } from '../support/raw.ts';

describeOne('bad input', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  let stored: Record<string, number>;
  before(async () => {
    stack = await startStack(topology, {
      BAILIWICK_REQUEST_TIMEOUT_MS: '2000',
      BAILIWICK_LIMITS: 'off',
    });
    ({ token } = await signUp(stack));
    stored = await rowCounts(stack.databaseUrl);
  });
  after(() => stack?.stop());

  function assertError(answer: Answer, status: number, code: string): void {
    assert.equal(answer.status, status, JSON.stringify(answer.body));
    assert.equal(answer.body.Code, code);
    assert.ok(Array.isArray(answer.body.Messages) && answer.body.Messages.length > 0);
    assert.equal(answer.body['Message'], answer.body.Messages[0]);
    assert.equal(answer.body['RequestID'], answer.headers.get('x-request-id'));
  }

  test('every operation refuses a body that is not a JSON object in UTF-8', async () => {
    const bodies = [
      '',
      'null',
      '[]',
      '"x"',
      '1',
      '{',
      '{"Email":"a@example.com",}',
      '{"a":1}x',
      Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    ];
    for (const body of bodies)
      assertError(await stack.call('Account_Register', body), 400, 'invalid_argument');
  });

  test('another Content-Type is refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/jsonp',
      '',
    ]) {
      assertError(
        await stack.call('Account_Register', '{}', undefined, { 'content-type': type }),
        400,
        'invalid_argument',
      );
    }
    assert.equal(
      (
        await stack.call('Sso_Check', { Email: 'a@example.com' }, undefined, {
          'content-type': 'Application/JSON; charset=utf-8',
        })
      ).status,
      200,
    );
  });

  test('all failed checks come in one list, with the documented messages', async () => {
    const answer = await stack.call('Webhooks_CreateEndpoint', {}, token);
    assertError(answer, 400, 'invalid_argument');
    assert.deepEqual(answer.body.Messages, [
      'endpoint name is required',
      'endpoint url is required',
      'Tenant is required',
    ]);
    const wrong = await stack.call('Account_Register', { Email: 7, Password: 'short' });
    assert.deepEqual(wrong.body.Messages, [
      'Email must be a string',
      'Password must be at least 8 characters',
    ]);
  });

  test('texts with U+0000 or unpaired surrogates are refused, without an internal error', async () => {
    for (const text of ['a\u0000b', 'a\ud800']) {
      const answer = await stack.call(
        'Account_Register',
        JSON.stringify({ Email: `${text}@example.com`, Password: `password${text}` }),
      );
      assertError(answer, 400, 'invalid_argument');
    }
  });

  test('a body over 1 MiB is refused, with and without Content-Length', async () => {
    const small = 64 * 1024;
    for (const bytes of [1024 * 1024 + 1, 8 * 1024 * 1024]) {
      assertError(
        await stack.call('Account_Register', JSON.stringify({ Email: 'a'.repeat(bytes) })),
        400,
        'invalid_argument',
      );
      const chunks = new ReadableStream({
        start(controller) {
          for (let size = 0; size < bytes; size += small)
            controller.enqueue(new Uint8Array(small).fill(32));
          controller.close();
        },
      });
      const request = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: chunks,
        duplex: 'half',
      } as RequestInit;
      const answer = await fetch(`${stack.url}/Account_Register`, request);
      assert.deepEqual(
        [answer.status, ((await answer.json()) as { Code: string }).Code],
        [400, 'invalid_argument'],
        'the answer also reaches a client that is still sending',
      );
    }
  });

  test('deep nesting and hostile keys do no harm', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    assertError(await stack.call('Account_Register', deep), 400, 'invalid_argument');
    const hostile =
      '{"__proto__":{"Email":"x@example.com"},"constructor":{"prototype":{"polluted":true}}}';
    assertError(await stack.call('Account_Register', hostile), 400, 'invalid_argument');
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  test('/readyz allows GET and HEAD only', async () => {
    for (const method of ['GET', 'HEAD'])
      assert.equal((await fetch(`${stack.url}/readyz`, { method })).status, 200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const response = await fetch(`${stack.url}/readyz`, { method });
      assert.deepEqual(
        [response.status, response.headers.get('allow')],
        [405, 'GET, HEAD'],
        method,
      );
      assert.equal(((await response.json()) as Answer['body']).Code, 'invalid_argument');
    }
  });

  test('thousands of unknown keys get a short answer', async () => {
    const keys = (length: number) =>
      Object.fromEntries(Array.from({ length }, (_, index) => [`Key${index}`, 1]));
    const unknown = await stack.call('Account_Register', keys(15_000));
    assertError(unknown, 400, 'invalid_argument');
    assert.ok(
      unknown.body.Messages?.includes('14900 more keys are not known fields') &&
        unknown.body.Messages.length < 110,
    );
    const answer = await stack.call('Account_Register', keys(60_000));
    assertError(answer, 400, 'invalid_argument');
    assert.deepEqual(answer.body.Messages, ['the body must have at most 20000 values']);
  });

  test('an unknown operation is 404 and a wrong verb 405', async () => {
    for (const path of [
      'Account_Nothing',
      'account_register',
      'Account_Register/x',
      'Credentials_Resolve',
      'Authority_Effective',
      '',
    ]) {
      assertError(await stack.call(path, {}), 404, 'not_found');
    }
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const response = await fetch(`${stack.url}/Account_Register`, { method });
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get('allow'), 'POST');
      assert.equal(((await response.json()) as Answer['body']).Code, 'invalid_argument');
    }
  });

  test('wrong types in every field of every operation never cause a 500', async () => {
    for (const { name, method, credential, public: routed } of operations.values()) {
      if (!routed) continue;
      const token = credential === 'worker' ? stack.workerToken : stack.platformKey;
      for (const value of [0, 'x', true, [], {}, [{}], { a: [1] }, -1.5, 'x'.repeat(5000)]) {
        const body = Object.fromEntries(
          method.input.fields.map((field) => [field.jsonName, value]),
        );
        const answer = await stack.call(name, body, token);
        assert.ok(
          answer.status < 500,
          `${name} with ${JSON.stringify(value).slice(0, 40)}: ${JSON.stringify(answer.body)}`,
        );
      }
    }
  });

  test('bytes that are not HTTP are answered with an ErrorResponse', async () => {
    const texts = [
      'GARBAGE\r\n\r\n',
      `GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
      'POST /Account_Register HTTP/1.1\r\nhost: a\r\ncontent-length: x\r\n\r\n',
      'CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n',
      'POST /Sso_Check HTTP/1.1\r\nhost: a\r\nexpect: foo\r\ncontent-length: 0\r\n\r\n',
      'POST /Sso_Check HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
    ];
    for (const text of texts) {
      const answer = await rawRequest(stack.url, text);
      assert.match(answer, /^HTTP\/1\.1 400 /, text.slice(0, 20));
      assert.equal(
        (JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Answer['body']).Code,
        'invalid_argument',
      );
    }
  });

  test('a request target that is not a URL is 404', async () => {
    for (const target of ['//', '//[', 'http://[', '*']) {
      const answer = await rawRequest(
        stack.url,
        `POST ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      );
      assert.match(answer, /^HTTP\/1\.1 404 [^]*not_found/, target);
    }
  });

  test('a body that does not arrive in time is refused', async () => {
    const answer = await rawRequest(
      stack.url,
      'POST /Account_Register HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    );
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, /took too long to arrive/);
  });

  test('a client that keeps sending before its answer is disconnected', async () => {
    const request = (pathname: string, close = '') =>
      `POST ${pathname} HTTP/1.1\r\nhost: a\r\n${close}content-length: 0\r\n\r\n`;
    const few = await rawRequest(
      stack.url,
      request('/nope').repeat(10) + request('/nope', 'connection: close\r\n'),
    );
    assert.equal(few.match(/HTTP\/1\.1 404/g)?.length, 11);
    const many = await rawRequest(
      stack.url,
      request('/nope').repeat(1000) + request('/nope', 'connection: close\r\n'),
    ).catch(() => '');
    assert.ok((many.match(/HTTP\/1\.1/g) ?? []).length <= 16);
  });

  test('a client that disconnects in the middle of its body causes no error log', async () => {
    const before = failures(stack);
    const { hostname, port } = new URL(stack.url);
    const head =
      'POST /Account_Register HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{';
    const socket = connect(Number(port), hostname, () =>
      socket.write(head, () => setTimeout(() => socket.destroy(), 100)),
    );
    await sleep(500);
    assert.equal(failures(stack), before);
  });

  test('none of these calls stored anything', async () => {
    await sleep(200);
    assert.deepEqual(await rowCounts(stack.databaseUrl), stored);
  });
});

/**
 * The row counts of all tables with records. Refused calls write only audit entries and counters.
 */
async function rowCounts(url: string): Promise<Record<string, number>> {
  const tables = [
    'identity.user_account',
    'identity.registration',
    'identity.reset_token',
    'identity.session',
    'access.tenant',
    'access.tenant_member',
  ];
  tables.push(
    'access.group_entry',
    'access.grant_entry',
    'sso.domain',
    'sso.provider',
    'notifications.webhook_endpoint',
    'notifications.dek',
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const counts: Record<string, number> = {};
  for (const table of tables)
    counts[table] =
      (await client.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n ??
      -1;
  await client.end();
  return counts;
}

const failures = (stack: Stack) => stack.logOf('gateway').split('"level":"error"').length;
