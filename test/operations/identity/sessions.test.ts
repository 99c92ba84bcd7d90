import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { assertRefused, readList, retryWhileBusy } from '../../support/answers.ts';
import { type Answer, describeOne, eventually, type Stack } from '../../support/harness.ts';
import { createTenant, login, password, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

type Entry = {
  Operation: string;
  Result: string;
  Code: string;
  IP: string;
  RequestID: string;
  ActorID: string;
  Targets: unknown[];
};

describeOne('sessions and browsers', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('Sessions_List shows the caller’s own sessions, and Sessions_Revoke and _RevokeAll end them at once', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(stack, email)).body['Token']);
    const stranger = await signUp(stack);
    const listed = (await stack.call('Sessions_List', {}, token)).body['Page'] as {
      Items: Array<{ ID: string; Current: boolean; AuthMethod: string }>;
    };
    assert.equal(listed.Items.length, 2);
    assert.equal(listed.Items.filter(({ Current }) => Current).length, 1);
    const otherId = listed.Items.find(({ Current }) => !Current)?.ID;
    assert.deepEqual(
      (await stack.call('Sessions_Revoke', { ID: otherId }, stranger.token)).body,
      {},
    );
    assert.equal(
      (await stack.call('Account_Get', {}, other)).status,
      200,
      'a stranger ends no session',
    );
    assert.deepEqual((await stack.call('Sessions_Revoke', { ID: otherId }, token)).body, {});
    assert.equal((await stack.call('Account_Get', {}, other)).status, 401);
    assert.deepEqual((await stack.call('Sessions_RevokeAll', {}, token)).body, {});
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
  });

  test('Tokens_Introspect returns the owner of a token to the platform’s services', async () => {
    const { id, token } = await signUp(stack);
    const introspected = await stack.call('Tokens_Introspect', { Token: token }, stack.platformKey);
    assert.equal(introspected.body['Active'], true);
    assert.equal(introspected.body['UserID'], id);
    const elsewhere = await signUp(stack);
    const tenant = await createTenant(stack, elsewhere.token);
    assert.equal(
      (await stack.call('Tokens_Introspect', { Token: token, Tenant: tenant }, stack.platformKey))
        .body['Active'],
      false,
    );
    await stack.call('Account_Logout', {}, token);
    const ended = await stack.call('Tokens_Introspect', { Token: token }, stack.platformKey);
    assert.deepEqual([ended.body['Active'], ended.body['UserID']], [false, '']);
    assertRefused(
      await stack.call('Tokens_Introspect', { Token: token }, elsewhere.token),
      400,
      'invalid_argument',
      ['Tenant is required'],
    );
    assertRefused(
      await stack.call('Tokens_Introspect', { Token: token, Tenant: tenant }, elsewhere.token),
      403,
      'permission_denied',
    );
  });

  test('a browser’s cookie works in every operation, for pages of this site only', async () => {
    const { email } = await signUp(stack);
    const signedIn = await stack.call('Account_Login', {
      Email: email,
      Password: password,
      Cookie: true,
    });
    assert.equal(signedIn.body['Token'], '');
    const set = signedIn.headers.get('set-cookie') ?? '';
    assert.match(set, /^bailiwick_session=bwks_\w+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Lax$/);
    const cookie = set.split(';')[0] ?? '';
    const get = (headers: Record<string, string>): Promise<Answer> =>
      stack.call('Account_Get', {}, undefined, { cookie, ...headers });
    assert.equal((await get({ origin: stack.url })).status, 200);
    assert.equal((await get({ 'sec-fetch-site': 'same-origin' })).status, 200);
    for (const foreign of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      assert.equal(
        (await get(foreign as Record<string, string>)).status,
        403,
        JSON.stringify(foreign),
      );
    }
    assert.equal(
      (await get({ origin: stack.url, authorization: 'Bearer junk' })).status,
      401,
      'a header takes precedence over the cookie',
    );
    assert.equal(
      (await stack.call('Sso_Check', { Email: email }, undefined, { cookie })).status,
      200,
      'an operation without a credential ignores it',
    );
    const out = await stack.call('Account_Logout', {}, undefined, { cookie, origin: stack.url });
    assert.match(out.headers.get('set-cookie') ?? '', /^bailiwick_session=; Max-Age=0;/);
    assert.equal((await get({ origin: stack.url })).status, 401);
  });

  test('attempts with dead or unknown one-time tokens are audited by address, with one summary entry a minute', async () => {
    // An address of its own: other files use dead tokens too.
    const ip = '203.0.113.12';
    const from = { 'x-forwarded-for': ip };
    const { id, token } = await signUp(stack);
    const attempts = {
      Account_Verify: { Token: createToken('verify') },
      Account_ResetPassword: { Token: createToken('reset'), Password: 'a long enough one' },
      Account_ExchangeCode: { Code: createToken('code') },
      TenantInvitations_Decline: { Token: createToken('invitation') },
      TenantInvitations_Accept: { Token: createToken('invitation') },
    };
    for (const [operation, request] of Object.entries(attempts)) {
      const by = operation === 'TenantInvitations_Accept' ? token : undefined;
      const answer = await stack.call(operation, request, by, from);
      assertRefused(answer, 400, 'failed_precondition', ['the token is no longer valid']);
      const entry = await eventually(operation, async () => {
        const { items } = await readList<Entry>(
          stack,
          'Audit_List',
          { Filter: { Actions: ['token.refused'] } },
          stack.platformKey,
        );
        return items.find(({ RequestID }) => RequestID === answer.headers.get('x-request-id'));
      });
      assert.deepEqual(
        [entry.Operation, entry.Result, entry.Code, entry.IP, entry.Targets],
        [operation, 'failed', 'failed_precondition', ip, []],
      );
      assert.equal(entry.ActorID, by === undefined ? '' : id);
      assert.ok(
        !JSON.stringify(entry).includes(Object.values(request)[0] ?? ''),
        'the token is in the audit',
      );
    }
    // Forty more of one kind: ten of a minute have entries of their own, and another minute may
    // begin meanwhile.
    const again = { Token: createToken('verify') };
    for (let times = 0; times < 40; times++)
      assert.equal(
        (await retryWhileBusy(() => stack.call('Account_Verify', again, undefined, from))).status,
        400,
      );
    const written = () =>
      rowsOf<{ audit: string }>(
        stack,
        `select audit from identity.outbox where audit like '%"token.refused"%' and audit like '%"Account_Verify"%' and audit like '%"${ip}"%'`,
      );
    const count = (await written()).length;
    assert.ok(count >= 10 && count <= 20, String(count));
  });
});
