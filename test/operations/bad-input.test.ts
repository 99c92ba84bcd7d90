import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@bailiwick/proto/registry.ts';
import { createId } from '@bailiwick/values';
import pg from 'pg';
import { createBot } from '../support/bots.ts';
import { type Answer, describeBoth, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';

describeBoth('bad input', (topology) => {
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
          for (let sent = 0; sent < bytes; sent += small)
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

  test('unknown keys are refused by name, together with all other failures, and nothing is stored', async () => {
    const Tenant = await createTenant(stack, token);
    const { id: UserID } = await signUp(stack);
    const grants = 'select count(*)::int as n from access.grant_entry where tenant = $1';
    const before = await rowsOf(stack, grants, [Tenant]);
    const grant = { Tenant, UserID, Role: 'admin', ExpireAt: '2030-01-01T00:00:00Z' };
    const unknown = 'Grant.ExpireAt is not a known field; did you mean ExpiresAt?';
    for (const operation of ['Grants_Add', 'Grants_Remove']) {
      assert.deepEqual((await stack.call(operation, { Grant: grant }, token)).body.Messages, [
        unknown,
      ]);
    }
    const { Role: _role, ...without } = grant;
    assert.deepEqual(
      (await stack.call('Grants_Add', { Grant: without, grant }, token)).body.Messages,
      ['grant is not a known field; did you mean Grant?', unknown, 'Grant.Role is required'],
    );
    assert.deepEqual(await rowsOf(stack, grants, [Tenant]), before);
    const named = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, name: 'a', URL: 'ftp://x' } },
      token,
    );
    const messages = [
      'Endpoint.name is not a known field; did you mean Name?',
      'endpoint name is required',
      'Endpoint.URL must begin with https://',
    ];
    assert.deepEqual(named.body.Messages, messages);
    stored = await rowCounts(stack.databaseUrl);
  });

  test('keys that the service sets are ignored with any value, a client’s own secret included', async () => {
    const Tenant = await createTenant(stack, token);
    const managed = {
      ID: 7,
      DekID: {},
      SecretEnc: 'x',
      CreatedAt: [],
      PreviousSecretUntil: 1,
      DisabledReason: true,
      Secret: 'mine',
    };
    const answer = await stack.call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: { Tenant, Name: 'a', URL: `${stack.inboxUrl}/hooks/a`, ...managed },
        Secret: 'mine',
      },
      token,
    );
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.notEqual(answer.body['Secret'], 'mine');
    stored = await rowCounts(stack.databaseUrl);
  });

  test('a value of a wrong type is reported once', async () => {
    const Tenant = await createTenant(stack, token);
    const once = async (operation: string, body: object, ...messages: string[]) =>
      assert.deepEqual(
        (await stack.call(operation, body, token)).body.Messages,
        messages,
        JSON.stringify(body),
      );
    const URL = `${stack.inboxUrl}/hooks/a`;
    await once(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, Name: 5, URL } },
      'Endpoint.Name must be a string',
    );
    await once(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: 5, Name: 'a', URL } },
      'Endpoint.Tenant must be a string',
    );
    await once('Webhooks_CreateEndpoint', { Endpoint: 5 }, 'Endpoint must be an object');
    await once('Webhooks_ListEndpoints', { Tenant: [] }, 'Tenant must be a string');
    const provider = {
      Tenant,
      Name: 'a',
      Kind: 'oidc',
      Issuer: 'https://idp.example',
      ClientID: 5,
    };
    await once(
      'Sso_SaveProvider',
      { Provider: provider, Secret: 's' },
      'Provider.ClientID must be a string',
    );
    await once(
      'Sso_SaveProvider',
      { Provider: { ...provider, ClientID: 'a' }, Secret: 5 },
      'Secret must be a string',
    );
    const permissions = { Tenant, Slug: 'editor', Permissions: ['app.read', 5] };
    await once('Roles_Save', { Role: permissions }, 'Role.Permissions[1] must be a string');
  });

  test('a blank name is refused like an empty one', async () => {
    const Tenant = await createTenant(stack, token);
    const { ID: Bot } = await createBot(stack, Tenant, token);
    const URL = `${stack.inboxUrl}/hooks/a`;
    for (const Name of ['', '   ', '\t\n', '\u00a0\u2003\u3000', '\u200b']) {
      const calls: Array<[operation: string, body: object, message: string]> = [
        [
          'Webhooks_CreateEndpoint',
          { Endpoint: { Tenant, Name, URL } },
          'endpoint name is required',
        ],
        [
          'Webhooks_UpdateEndpoint',
          { Endpoint: { Tenant, ID: createId('whk'), Name, URL } },
          'endpoint name is required',
        ],
        ['Chat_CreateEndpoint', { Endpoint: { Tenant, Name }, URL }, 'endpoint name is required'],
        [
          'Chat_UpdateEndpoint',
          { Endpoint: { Tenant, ID: createId('slk'), Name } },
          'endpoint name is required',
        ],
        ['Bots_Save', { Bot: { Tenant, Name } }, 'Bot.Name is required'],
        ['BotKeys_Create', { Tenant, Bot, Name }, 'Name is required'],
        ['Tenants_Create', { Tenant: { Name } }, 'Tenant.Name is required'],
        [
          'Tenants_Update',
          { Tenant: { ID: Tenant, Name } },
          Name === '' ? 'Tenant.Name must not be empty' : 'Tenant.Name is required',
        ],
        [
          'Sso_SaveProvider',
          { Provider: { Tenant, Kind: 'saml', Name } },
          'Provider.Name is required',
        ],
        [
          'Domain_Create',
          { Tenant, Name },
          Name === '' ? 'Name is required' : 'Name must be a domain name such as example.com',
        ],
      ];
      for (const [operation, body, message] of calls) {
        const answer = await stack.call(operation, body, token);
        assertError(answer, 400, 'invalid_argument');
        assert.ok(
          answer.body.Messages?.includes(message),
          `${operation} ${JSON.stringify(Name)}: ${JSON.stringify(answer.body.Messages)}`,
        );
      }
    }
    stored = await rowCounts(stack.databaseUrl);
  });

  test('an invalid cursor is reported together with an empty tenant and other failures', async () => {
    const cursor = 'Page.Cursor is not a cursor of this list';
    for (const Cursor of ['nope', 'x'.repeat(60), 'not base64!']) {
      const answer = await stack.call(
        'Groups_List',
        { Tenant: '', Page: { Cursor, Limit: -1 } },
        token,
      );
      assert.deepEqual(answer.body.Messages, [
        'Tenant is required',
        'Page.Limit must be at least 0',
        cursor,
      ]);
      assert.deepEqual(
        (await stack.call('Webhooks_ListEndpoints', { Page: { Cursor } }, token)).body.Messages,
        ['Tenant is required', cursor],
      );
    }
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

function rawRequest(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let answer = '';
    socket.setEncoding('utf8');
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk: string) => (answer += chunk));
    socket.on('close', () => resolve(answer));
    socket.on('error', reject);
  });
}
