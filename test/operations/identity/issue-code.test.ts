import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import { newIdentity } from '../../support/federation.ts';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { password, signUp } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { assertExpiresIn, rowsOf } from '../../support/store.ts';

type SignedIn = {
  Token: string;
  Session: Record<'ID' | 'AuthMethod' | 'CreatedAt' | 'ExpiresAt', string>;
  User: { ID: string };
};

const dead = ['the token is no longer valid'];

describeOne('codes that take a session on to an application', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const issue = (ReturnTo: string, token: string, headers: Record<string, string> = {}) =>
    stack.call('Account_IssueCode', { ReturnTo }, token, headers);
  const codeFor = async (token: string, returnTo = `${appOrigin}/back?next=1`) => {
    const { Redirect } = bodyOf(await issue(returnTo, token)) as { Redirect: string };
    return new URL(Redirect).searchParams.get('code') ?? '';
  };
  const exchange = (Code: string, headers: Record<string, string> = {}) =>
    stack.call('Account_ExchangeCode', { Code }, undefined, headers);
  const assertDead = async (code: string, headers = {}) =>
    assertRefused(await exchange(code, headers), 400, 'failed_precondition', dead);

  test('Account_IssueCode adds a code to the address, which opens a session of the same user', async () => {
    const { id, token } = await signUp(stack);
    const { Redirect } = bodyOf(await issue(`${appOrigin}/back?next=1#part`, token)) as {
      Redirect: string;
    };
    const url = new URL(Redirect);
    const code = url.searchParams.get('code') ?? '';
    assert.match(code, /^bwkc_/);
    url.searchParams.delete('code');
    assert.equal(url.href, `${appOrigin}/back?next=1#part`);
    await assertExpiresIn(stack, 'sign_in_code', id, 60);
    const { Token, Session, User } = bodyOf(await exchange(code)) as SignedIn;
    assert.deepEqual([User.ID, Session.AuthMethod], [id, 'password']);
    assert.equal((await stack.call('Account_Get', {}, Token)).status, 200);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
    await assertDead(code);
    const events = await rowsOf(
      stack,
      `select event, audit from identity.outbox where type = 'session.code_issued' and audit like '%' || $1 || '%'`,
      [id],
    );
    assert.equal(events.length, 1);
    assert.ok(!JSON.stringify(events).includes(code));
  });

  test('Account_ExchangeCode opens a session that is as old as the sign-in, and ends with it', async () => {
    const { id, token } = await signUp(stack);
    await rowsOf(
      stack,
      `update identity.session set created_at = now() - interval '20 days', expires_at = now() + interval '10 days' where user_id = $1`,
      [id],
    );
    const { Session, Token } = bodyOf(await exchange(await codeFor(token))) as SignedIn;
    const days = (time: string) => Math.round((Date.parse(time) - Date.now()) / 86_400_000);
    assert.deepEqual([days(Session.CreatedAt), days(Session.ExpiresAt)], [-20, 10]);
    // A chain of codes does not make a session last longer, either.
    const next = bodyOf(await exchange(await codeFor(Token))) as SignedIn;
    assert.deepEqual(
      [next.Session.CreatedAt, next.Session.ExpiresAt],
      [Session.CreatedAt, Session.ExpiresAt],
    );
  });

  test('a session that was taken on does not count as a recent sign-in', async () => {
    const { id, token } = await signUp(stack);
    await rowsOf(stack, 'update identity.user_account set password_hash = null where id = $1', [
      id,
    ]);
    const change = (session: string) =>
      stack.call('Account_ChangeEmail', { Email: `next-${id}@example.com` }, session);
    await rowsOf(
      stack,
      `update identity.session set created_at = now() - interval '1 hour' where user_id = $1`,
      [id],
    );
    const { Token } = bodyOf(await exchange(await codeFor(token))) as SignedIn;
    assertRefused(await change(Token), 403, 'permission_denied', ['recent login required']);
  });

  test('a limited session is taken on as a limited one', async () => {
    const { id, token } = await signUp(stack);
    const tenant = createId('tnt');
    const provider = await newIdentity(stack, id, tenant);
    await rowsOf(
      stack,
      `update identity.session set auth_method = 'oidc', sso_tenant = $2, provider = $3 where user_id = $1`,
      [id, tenant, provider],
    );
    const { Session } = bodyOf(await exchange(await codeFor(token))) as SignedIn & {
      Session: { LimitedTo: string };
    };
    assert.deepEqual([Session.AuthMethod, Session.LimitedTo], ['oidc', tenant]);
  });

  test('a session that was taken on has the methods and the assurance of the first', async () => {
    const { id, token } = await signUp(stack);
    await rowsOf(
      stack,
      `update identity.session set further_methods = '{totp}', assurance = 'aal2' where user_id = $1`,
      [id],
    );
    const { Token } = bodyOf(await exchange(await codeFor(token))) as SignedIn;
    const { Page } = bodyOf(await stack.call('Sessions_List', {}, Token)) as unknown as {
      Page: { Items: Array<{ AuthMethods: string[]; Assurance: string }> };
    };
    assert.deepEqual(
      Page.Items.map(({ AuthMethods, Assurance }) => [AuthMethods.join(' '), Assurance]),
      [
        ['password totp', 'aal2'],
        ['password totp', 'aal2'],
      ],
    );
  });

  test('a code ends with its session', async () => {
    for (const operation of ['Account_Logout', 'Sessions_RevokeAll']) {
      const { token } = await signUp(stack);
      const code = await codeFor(token);
      bodyOf(await stack.call(operation, {}, token));
      await assertDead(code);
    }
    const { id, token } = await signUp(stack);
    const code = await codeFor(token);
    await rowsOf(stack, 'update identity.session set expires_at = now() where user_id = $1', [id]);
    await assertDead(code);
  });

  test('sessions that take another one on end with it, and not the other way round', async () => {
    const { token } = await signUp(stack);
    const isLive = async (session: string) =>
      (await stack.call('Account_Get', {}, session)).status === 200;
    const first = bodyOf(await exchange(await codeFor(token))) as SignedIn;
    const second = bodyOf(await exchange(await codeFor(first.Token))) as SignedIn;
    bodyOf(await stack.call('Account_Logout', {}, first.Token));
    assert.deepEqual(
      await Promise.all([isLive(first.Token), isLive(second.Token), isLive(token)]),
      [false, true, true],
    );
    bodyOf(await stack.call('Account_Logout', {}, token));
    assert.deepEqual(await Promise.all([isLive(second.Token), isLive(token)]), [false, false]);
  });

  test('no code that is exchanged while its session ends leaves a session behind', async () => {
    for (let turn = 0; turn < 10; turn++) {
      const { id, token } = await signUp(stack);
      const code = await codeFor(token);
      await Promise.all([
        retryWhileBusy(() => exchange(code)),
        retryWhileBusy(() => stack.call('Account_Logout', {}, token)),
      ]);
      assert.deepEqual(
        await rowsOf(stack, 'select id from identity.session where user_id = $1', [id]),
        [],
      );
    }
  });

  test('a session that was taken on keeps the limit of time without a call', async () => {
    const { id, token } = await signUp(stack);
    await rowsOf(stack, 'update identity.session set idle_minutes = 15 where user_id = $1', [id]);
    bodyOf(await exchange(await codeFor(token)));
    assert.deepEqual(
      await rowsOf(
        stack,
        'select idle_minutes as minutes from identity.session where user_id = $1',
        [id],
      ),
      [{ minutes: 15 }, { minutes: 15 }],
    );
  });

  test('the previous version finds no user for a code that takes a session on', async () => {
    const { id, token } = await signUp(stack);
    await codeFor(token);
    const byOldStatement = await rowsOf(
      stack,
      'select 1 from identity.sign_in_code c join identity.user_account u on u.id = c.user_id and u.email_key = c.email_key where u.id = $1',
      [id],
    );
    assert.deepEqual(byOldStatement, []);
  });

  test('a code works for pages of its own origin only, and one code replaces the one before', async () => {
    const { token } = await signUp(stack);
    const first = await codeFor(token);
    const code = await codeFor(token);
    await assertDead(first);
    for (const origin of ['https://other.example.com', 'https://evil.example', stack.url])
      await assertDead(code, { origin });
    assert.equal((await exchange(code, { origin: appOrigin })).status, 200);
  });

  test('200 exchanges at once, of codes that were issued at once, open one session', async () => {
    const { token } = await signUp(stack);
    const codes = await Promise.all(
      Array.from({ length: 20 }, () => retryWhileBusy(() => issue(appOrigin, token))),
    );
    const issued = codes.map(
      (answer) =>
        new URL((bodyOf(answer) as { Redirect: string }).Redirect).searchParams.get('code') ?? '',
    );
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, at) =>
        retryWhileBusy(() => exchange(issued[at % issued.length] ?? '')),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  test('an address of this service gets no code, and no address leads nowhere', async () => {
    const { token } = await signUp(stack);
    assert.deepEqual(bodyOf(await issue('/docs', token)), { Redirect: `${stack.url}/docs` });
    assert.deepEqual(bodyOf(await issue('', token)), { Redirect: '' });
  });

  test('an address at another origin is refused', async () => {
    const { token } = await signUp(stack);
    for (const address of [
      'https://evil.example',
      `${appOrigin}.evil.example`,
      `${appOrigin}@evil.example`,
      `${appOrigin}:8443`,
      'http://app.example.com',
      '//app.example.com',
      'javascript:alert(1)',
    ])
      assertRefused(await issue(address, token), 400, 'failed_precondition', [
        'the return address is not at an allowed origin',
      ]);
  });

  test('only the sign-in page issues codes in a browser', async () => {
    const { email } = await signUp(stack);
    const answer = await stack.call('Account_Login', {
      Email: email,
      Password: password,
      Cookie: true,
    });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const from = (origin: string) =>
      stack.call('Account_IssueCode', { ReturnTo: appOrigin }, undefined, { cookie, origin });
    assert.equal((await from(stack.url)).status, 200);
    // Not even the application itself: the cookie would become a token that scripts can read.
    for (const origin of [appOrigin, 'https://other.example.com'])
      assertRefused(await from(origin), 403, 'permission_denied', [
        'only pages of this service may create a code for an application',
      ]);
    assert.equal((await from('https://evil.example')).status, 403);
  });
});

describeOne('the application that users go to by default', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_APP_URL: 'https://portal.example.org/start',
    });
  });
  after(() => stack?.stop());

  test('Account_IssueCode without an address leads to BAILIWICK_APP_URL', async () => {
    const { id, token } = await signUp(stack);
    const { Redirect } = bodyOf(await stack.call('Account_IssueCode', {}, token)) as {
      Redirect: string;
    };
    const url = new URL(Redirect);
    assert.equal(url.origin + url.pathname, 'https://portal.example.org/start');
    const answer = await stack.call('Account_ExchangeCode', {
      Code: url.searchParams.get('code') ?? '',
    });
    assert.equal((bodyOf(answer) as SignedIn).User.ID, id);
  });
});
