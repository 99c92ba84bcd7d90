import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { assertRefused } from '../support/answers.ts';
import { type Answer, describeOne, type Stack } from '../support/harness.ts';
import { signUp } from '../support/people.ts';
import { rawRequest } from '../support/raw.ts';
import { sharedStack } from '../support/shared.ts';

// Requests that two parsers read differently, such as a proxy and the gateway.

describeOne('ambiguous requests', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ token } = await signUp(stack));
  });
  after(() => stack?.stop());

  test('a body whose keys, mark or encoding parsers read differently is refused, and why is said', async () => {
    const mark = Buffer.from([0xef, 0xbb, 0xbf]);
    const email = '"Email":"a@example.com"';
    const cases: Array<[body: string | Buffer, headers: Record<string, string>, reason: string]> = [
      [`{${email},"Email":"b@example.com"}`, {}, 'DUPLICATE_KEY'],
      [`{${email},"\\u0045mail":"b@example.com"}`, {}, 'DUPLICATE_KEY'],
      [`{${email},"More":[{"a":{"b":1,"b":1}}]}`, {}, 'DUPLICATE_KEY'],
      [`{"__proto__":1,"__proto__":2}`, {}, 'DUPLICATE_KEY'],
      [Buffer.concat([mark, Buffer.from(`{${email}}`)]), {}, 'NOT_JSON'],
      [`{${email}}`, { 'content-type': 'application/json; charset=utf-7' }, 'CONTENT_TYPE'],
      [`{${email}}`, { 'content-encoding': 'br' }, 'CONTENT_ENCODING'],
      [gzipSync(`{${email}}`), { 'content-encoding': 'gzip' }, 'CONTENT_ENCODING'],
    ];
    for (const path of ['Sso_Check', 'access/v1/evaluation'])
      for (const [body, headers, reason] of cases) {
        const answer = await stack.call(path, body, token, headers);
        assertRefused(answer, 400, 'invalid_argument');
        assert.equal(answer.body['Reason'], reason, `${path} ${String(body)}`);
      }
    const nested = await stack.call('Sso_Check', cases[2]?.[0] ?? '');
    assert.deepEqual(nested.body.Messages, ['More[0].a.b is a duplicate key']);
    for (const type of ['application/json;charset="UTF-8"', 'application/json; version=1'])
      assert.equal(
        (await stack.call('Sso_Check', `{${email}}`, undefined, { 'content-type': type })).status,
        200,
      );
  });

  test('numbers, halves of characters and text behind the object do no harm', async () => {
    const bodies = [
      '{"Page":{"Limit":1e999}}',
      '{"Page":{"Limit":-1e999}}',
      '{"Page":{"Cursor":"\\ud800"}}',
      '{"Page":{"Cursor":"\\u0000"}}',
      '{"Page":{}}{}',
      '{"Page":{}}\u0000',
    ];
    for (const body of bodies)
      assertRefused(await stack.call('Users_List', body, token), 400, 'invalid_argument');
  });

  test('a header that counts once is refused when it is there twice', async () => {
    const key = (value: string) => `idempotency-key: ${value}\r\n`;
    const type = 'content-type: application/json\r\n';
    for (const twice of [
      `authorization: Bearer ${token}\r\nauthorization: Bearer x\r\n${type}`,
      `host: b\r\n${type}`,
      `${type}content-type: text/plain\r\n`,
      `${type}${key('a')}${key('b')}`,
    ]) {
      const head = `POST /Account_Get HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${twice}`;
      const answer = await rawRequest(stack.url, `${head}content-length: 2\r\n\r\n{}`);
      assert.match(answer, /^HTTP\/1\.1 400 [^]*DUPLICATE_HEADER/, twice);
    }
  });

  test('a parameter of OAuth or of a sign-in that is there twice is refused', async () => {
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(`${stack.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });
    const token = await post(
      '/oauth/token',
      'grant_type=client_credentials&client_id=a&client_id=b',
    );
    assert.equal(token.status, 400);
    assert.equal(((await token.json()) as { error: string }).error, 'invalid_request');
    const callback = await post(
      '/auth/platform/sso_00000000000000000000000000/callback',
      'a=1&a=2',
    );
    assert.equal(callback.status, 400);
    assert.equal(((await callback.json()) as Answer['body'])['Reason'], 'DUPLICATE_PARAMETER');
    const coded = await post('/oauth/token', 'a=1', { 'content-encoding': 'gzip' });
    assert.equal(coded.status, 400);
    assert.match(await coded.text(), /Content-Encoding/);
  });

  test('a credential is read behind several blanks, and idle connections outlast a balancer', async () => {
    const headers = { authorization: `Bearer  ${token}` };
    const answer = await stack.call('Account_Get', {}, undefined, headers);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('keep-alive'), 'timeout=620');
  });
});
