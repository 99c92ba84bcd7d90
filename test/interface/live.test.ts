import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { describeBoth, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { documented } from './documented.ts';
import { samplesFor } from './samples.ts';
import { assertDocumented, assertMatches, openApiText, schemaOf } from './shapes.ts';

const documentedOperations = documented.operations.filter(({ shape }) => shape === undefined);

describeBoth('the interface, live', (topology) => {
  let stack: Stack;
  let token: string;
  let Tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ token } = await signUp(stack));
    Tenant = await createTenant(stack, token);
  });
  after(() => stack?.stop());

  test('every operation answers a documented request with the documented keys and types', async () => {
    const samples = await samplesFor(stack);
    assert.deepEqual(
      samples.map(({ operation }) => operation).sort(),
      documentedOperations.map(({ name }) => name).sort(),
    );
    const checked: string[] = [];
    for (const { operation, token: credential, request, remember } of samples) {
      const { request: requestFields = [], response = [] } =
        documentedOperations.find(({ name }) => name === operation) ?? {};
      const body = typeof request === 'function' ? await request() : request;
      assert.deepEqual(
        Object.keys(body).sort(),
        requestFields.map(({ name }) => name).sort(),
        `the sample for ${operation}`,
      );
      const answer = await stack.call(operation, body, credential);
      // test/operations/unimplemented.test.ts lists such an operation. Once it has a handler, it is
      // checked here too.
      if (answer.body.Code === 'unimplemented') continue;
      assert.equal(answer.status, 200, `${operation}: ${JSON.stringify(answer.body)}`);
      assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
      assertDocumented(response, answer.body, operation);
      assertMatches(schemaOf(`${operation}Res`), answer.body, operation);
      remember?.(answer.body);
      checked.push(operation);
    }
    assert.ok(checked.length >= 25, `only ${checked.join()} were checked`);
  });

  test('Groups_Get and Roles_Get return null for a missing record, as the interface documents', async () => {
    for (const [operation, request, absent] of [
      ['Groups_Get', { Tenant, Path: 'missing' }, { Group: null }],
      ['Roles_Get', { Tenant, Slug: 'missing' }, { Role: null }],
    ] as const) {
      const { body } = await stack.call(operation, request, token);
      if (body.Code === 'unimplemented') continue;
      assert.deepEqual(body, absent);
      assertMatches(schemaOf(`${operation}Res`), body, operation);
    }
  });

  test('every operation answers an error with an ErrorResponse', async () => {
    for (const { name } of documented.operations) {
      for (const [body, credential, statuses] of [
        ['{', undefined, [400]],
        ['{}', undefined, [200, 400, 401]],
        ['{}', token, [200, 400, 403]],
      ] as const) {
        const answer = await stack.call(name, body, credential);
        assert.ok(
          (statuses as readonly number[]).includes(answer.status),
          `${name} ${body}: ${answer.status}`,
        );
        if (answer.status === 200) continue;
        assertMatches(schemaOf(documented.schemas.failure), answer.body, name);
        assert.equal(answer.body['Message'], answer.body.Messages?.[0]);
        assert.ok(answer.body.Messages?.every((message) => message !== ''));
      }
    }
  });

  test('the documented validation messages are reported, each alone and all together', async () => {
    const URL = `${stack.inboxUrl}/hooks/live`;
    const complete: Record<string, Record<string, unknown>> = {
      Webhooks_CreateEndpoint: { Endpoint: { Tenant, Name: 'a', URL } },
      Webhooks_UpdateEndpoint: { Endpoint: { Tenant, ID: createId('whk'), Name: 'a', URL } },
      Webhooks_ListEndpoints: { Tenant },
      Chat_CreateEndpoint: { Endpoint: { Tenant, Name: 'a' }, URL },
      Chat_UpdateEndpoint: { Endpoint: { Tenant, ID: createId('slk'), Name: 'a' } },
      Chat_ListEndpoints: { Tenant },
    };
    assert.deepEqual(
      Object.keys(complete).sort(),
      [...new Set(documented.validation.map(({ operation }) => operation))].sort(),
    );
    for (const [operation, request] of Object.entries(complete)) {
      const valid = await stack.call(operation, request, token);
      assert.notEqual(valid.body.Code, 'invalid_argument', JSON.stringify(valid.body));
      const rules = documented.validation.filter((rule) => rule.operation === operation);
      for (const blank of [undefined, null, '']) {
        for (const { missing, message } of rules)
          await assertMessages(operation, without(request, [missing], blank), [message]);
        const all = rules.map(({ missing }) => missing);
        await assertMessages(
          operation,
          without(request, all, blank),
          rules.map(({ message }) => message),
        );
      }
    }
  });

  async function assertMessages(
    operation: string,
    request: unknown,
    messages: readonly string[],
  ): Promise<void> {
    const { status, body } = await stack.call(operation, request, token);
    assert.equal(status, 400, `${operation} ${JSON.stringify(request)}`);
    assert.equal(body.Code, 'invalid_argument');
    assert.deepEqual(
      [...(body.Messages ?? [])].sort(),
      [...messages].sort(),
      `${operation} ${JSON.stringify(request)}`,
    );
  }

  test('GET /openapi.json returns the description in the repository', async () => {
    const response = await fetch(`${stack.url}/openapi.json`);
    assert.equal(response.status, 200);
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    // The gateway shifts the times of the examples to the present when it serves the document.
    const undated = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
    assert.ok(undated(await response.text()) === undated(openApiText));
    const head = await fetch(`${stack.url}/openapi.json`, { method: 'HEAD' });
    assert.deepEqual([head.status, await head.text()], [200, '']);
    assert.equal((await fetch(`${stack.url}/openapi.json`, { method: 'POST' })).status, 405);
  });

  test('the /auth routes answer an unknown provider with 400: a page for a browser, an ErrorResponse for other clients', async () => {
    assert.equal(documented.routes.length, 3);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    for (const { method, path } of documented.routes) {
      for (const [tenant, id] of [
        [Tenant, createId('sso')],
        ['x', 'y'],
        ['%3Cscript%3E', '%ff'],
        ['..%2f..', `'"`],
      ] as const) {
        const url = `${stack.url}${path.replace('{tenant}', tenant).replace('{id}', id)}?return_to=%3Cscript%3E&state=x`;
        const call = (accept: string) =>
          fetch(url, {
            method,
            redirect: 'manual',
            headers: { ...form, accept },
            ...(method === 'POST' ? { body: 'code=x' } : {}),
          });
        for (const accept of ['*/*', 'application/json']) {
          const response = await call(accept);
          assert.equal(response.status, 400, url);
          const body = (await response.json()) as Record<string, unknown>;
          assertMatches(schemaOf('ErrorResponse'), body, url);
          assert.equal(body['Code'], 'not_found');
          assert.equal(body['RequestID'], response.headers.get('x-request-id'));
        }
        const page = await call('text/html,application/xhtml+xml;q=0.9,*/*;q=0.8');
        assert.equal(page.status, 400);
        assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
        assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
        const text = await page.text();
        assert.match(text, /This sign-in address is not known\. Please start at the sign-in page/);
        assert.ok(text.includes(page.headers.get('x-request-id') ?? 'none'));
        assert.doesNotMatch(text, /<script|return_to/i);
      }
    }
  });

  test('the /auth routes answer an unsupported method with 405 and an Allow header', async () => {
    const verbs = new Map<string, string[]>();
    for (const { method, path } of documented.routes)
      verbs.set(path, [...(verbs.get(path) ?? []), method]);
    for (const [path, allowed] of verbs) {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
        (verb) => !allowed.includes(verb),
      )) {
        const response = await fetch(
          `${stack.url}${path.replace('{tenant}', Tenant).replace('{id}', createId('sso'))}`,
          { method },
        );
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.deepEqual(response.headers.get('allow')?.split(', ').sort(), [...allowed].sort());
        assertMatches(schemaOf('ErrorResponse'), await response.json(), path);
      }
    }
  });
});

/** Sets these keys of the request ("Endpoint.Name") to a value. JSON leaves out undefined. */
function without(
  request: Record<string, unknown>,
  paths: readonly string[],
  value: unknown,
): Record<string, unknown> {
  const copy = structuredClone(request);
  for (const path of paths) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    const record = names.reduce((at, name) => at[name] as Record<string, unknown>, copy);
    record[last] = value;
  }
  return copy;
}
