import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import { newCode } from '../../support/federation.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { mailTo, newAddress, password, signUp, tokenIn } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

const dead = ['the token is no longer valid'];

describeOne('codes for applications, and their pages', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const exchange = (Code: string, headers: Record<string, string> = {}, more: object = {}) =>
    stack.call('Account_ExchangeCode', { Code, ...more }, undefined, headers);
  const assertDead = async (code: string, headers = {}) =>
    assertRefused(await exchange(code, headers), 400, 'failed_precondition', dead);
  const sessionsOf = (userId: string) =>
    countOf(stack, 'identity.session where user_id = $1', [userId]);

  test('Account_ExchangeCode returns a session for a code, once', async () => {
    const { id, email } = await signUp(stack);
    const code = await newCode(stack, id, email);
    const { Token, User } = bodyOf(await exchange(code)) as { Token: string; User: { ID: string } };
    assert.equal(User.ID, id);
    assert.equal((await stack.call('Account_Get', {}, Token)).status, 200);
    await assertDead(code);
  });

  test('Account_ExchangeCode has one error for every code that does not work', async () => {
    const { id, email } = await signUp(stack);
    const expired = await newCode(stack, id, email, { endsIn: 0 });
    for (const code of [
      'junk',
      createToken('code'),
      createToken('reset'),
      createToken('session'),
      expired,
    ])
      await assertDead(code);
    assert.equal((await exchange('')).body.Code, 'invalid_argument');
    assert.equal(await sessionsOf(id), 1);
  });

  test('Account_ExchangeCode called 200 times at once with one code returns one session', async () => {
    const { id, email } = await signUp(stack);
    const code = await newCode(stack, id, email);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => retryWhileBusy(() => exchange(code))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', dead);
    assert.equal(await sessionsOf(id), 2);
  });

  test('a code works for pages of its own origin only, and other origins do not use it up', async () => {
    const { id, email } = await signUp(stack);
    const code = await newCode(stack, id, email);
    for (const origin of [
      'https://other.example.com',
      'https://evil.example',
      'null',
      stack.url,
      `${appOrigin}:8443`,
      `${appOrigin}.evil.example`,
      'http://app.example.com',
    ]) {
      await assertDead(code, { origin });
    }
    assert.equal((await exchange(code, { origin: appOrigin })).status, 200);
  });

  test('Account_ExchangeCode with Cookie sets the session as a cookie for a browser', async () => {
    const { id, email } = await signUp(stack);
    const answer = await exchange(
      await newCode(stack, id, email),
      { origin: appOrigin },
      { Cookie: true },
    );
    assert.equal(bodyOf(answer)['Token'], '');
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    assert.match(cookie, /^bailiwick_session=bwks_\w+$/);
    assert.equal(
      (await stack.call('Account_Get', {}, undefined, { cookie, origin: appOrigin })).status,
      200,
    );
    assert.equal(
      (await stack.call('Account_Get', {}, undefined, { cookie, origin: 'https://evil.example' }))
        .status,
      403,
    );
  });

  test('every action that ends a user’s sessions also voids the codes', async () => {
    const reset = async ({ email }: { email: string }) => {
      bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
      return stack.call('Account_ResetPassword', {
        Token: tokenIn(await mailTo(stack, email, 2)),
        Password: 'something quite new',
      });
    };
    const ends: Array<(person: { id: string; email: string; token: string }) => Promise<unknown>> =
      [
        ({ id }) =>
          stack
            .call('Users_Disable', { UserID: id }, stack.platformKey)
            .then(() => stack.call('Users_Enable', { UserID: id }, stack.platformKey)),
        ({ token }) => stack.call('Sessions_RevokeAll', {}, token),
        ({ token }) =>
          stack.call(
            'Account_ChangePassword',
            { Current: password, Password: 'something quite new' },
            token,
          ),
        reset,
        ({ id }) =>
          rowsOf(
            stack,
            `update identity.user_account set email = email || '.org', email_key = email_key || '.org' where id = $1`,
            [id],
          ),
        ({ id }) => stack.call('Users_Delete', { UserID: id }, stack.platformKey),
      ];
    for (const end of ends) {
      const person = await signUp(stack);
      const code = await newCode(stack, person.id, person.email);
      await end(person);
      await assertDead(code);
    }
  });

  const ask = (path: string, headers: Record<string, string>) =>
    fetch(`${stack.url}/${path}`, { method: 'OPTIONS', headers });
  const question = {
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  };
  const corsOf = (headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control-')));

  test('pages of the allowed origins may call every operation, and read the answers', async () => {
    for (const origin of [appOrigin, 'https://other.example.com']) {
      const answer = await ask('Account_ExchangeCode', { origin, ...question });
      assert.deepEqual(
        [answer.status, await answer.text(), answer.headers.get('vary')],
        [204, '', 'Origin'],
      );
      assert.deepEqual(corsOf(answer.headers), {
        'access-control-allow-credentials': 'true',
        'access-control-allow-headers':
          'Authorization, Bailiwick-Position, Content-Type, Idempotency-Key',
        'access-control-allow-methods': 'POST',
        'access-control-allow-origin': origin,
        'access-control-expose-headers':
          'Bailiwick-Position, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
        'access-control-max-age': '600',
      });
    }
    for (const token of [stack.platformKey, 'junk']) {
      const { headers } = await stack.call('Users_List', {}, token, { origin: appOrigin });
      assert.deepEqual(
        [
          headers.get('access-control-allow-origin'),
          headers.get('access-control-allow-credentials'),
          headers.get('vary'),
        ],
        [appOrigin, 'true', 'Origin'],
      );
    }
  });

  test('pages of all other origins may not', async () => {
    for (const origin of [
      'https://evil.example',
      'null',
      '*',
      `${appOrigin}.evil.example`,
      `${appOrigin}/`,
      'http://app.example.com',
      stack.url,
      '',
    ]) {
      const headers: Record<string, string> =
        origin === '' ? { ...question } : { origin, ...question };
      const answer = await ask('Account_ExchangeCode', headers);
      assert.deepEqual(
        [answer.status, answer.headers.get('allow'), corsOf(answer.headers)],
        [405, 'POST', {}],
        origin,
      );
      const called = await stack.call(
        'Users_List',
        {},
        stack.platformKey,
        origin === '' ? {} : { origin },
      );
      assert.deepEqual(
        [called.status, corsOf(called.headers), called.headers.get('vary')],
        [200, {}, 'Origin'],
        origin,
      );
    }
  });

  test('requests that are no preflight, or not for an operation, are answered without CORS', async () => {
    assert.equal((await ask('Account_Exchange', { origin: appOrigin, ...question })).status, 404);
    assert.equal((await ask('Account_ExchangeCode', { origin: appOrigin })).status, 405);
    assert.equal((await ask('openapi.json', { origin: appOrigin, ...question })).status, 405);
    assert.equal((await ask(`auth/a/b/login`, { origin: appOrigin, ...question })).status, 405);
    assert.equal((await ask('Federation_Admit', { origin: appOrigin, ...question })).status, 404);
    const email = newAddress();
    assert.equal(
      (
        await stack.call('Account_Register', { Email: email, Password: password }, undefined, {
          origin: 'https://evil.example',
        })
      ).status,
      200,
    );
  });
});
