import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken } from '@bailiwick/values';
import { assertRefused, bodyOf, readList, retryWhileBusy } from '../support/answers.ts';
import {
  type Answer,
  describeBoth,
  eventually,
  type Stack,
  startStack,
} from '../support/harness.ts';
import {
  createTenant,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../support/people.ts';
import { rowsOf } from '../support/store.ts';

type Entry = {
  Operation: string;
  Result: string;
  Code: string;
  IP: string;
  RequestID: string;
  ActorID: string;
  Targets: unknown[];
};

describeBoth('profiles, sessions and browsers', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  const login = (email: string, secret = password) =>
    stack.call('Account_Login', { Email: email, Password: secret });
  const tokenOf = async (email: string, secret?: string) =>
    String((await login(email, secret)).body['Token']);

  test('Account_Update changes the sent fields and keeps the others', async () => {
    const { token } = await signUp(stack);
    await stack.call(
      'Account_Update',
      { User: { Name: 'Ada Lovelace', Locale: 'en-GB', Metadata: { team: 'engines' } } },
      token,
    );
    const { body } = await stack.call(
      'Account_Update',
      { User: { GivenName: 'Ada', Status: 'disabled' } },
      token,
    );
    const user = body['User'] as Record<string, unknown>;
    assert.deepEqual(
      [user['Name'], user['GivenName'], user['Locale'], user['Status']],
      ['Ada Lovelace', 'Ada', 'en-GB', 'active'],
    );
    assert.deepEqual(user['Metadata'], { team: 'engines' });
    assert.deepEqual(
      (await stack.call('Account_Update', { User: user }, token)).body['User'],
      user,
      'as it was read it changes nothing',
    );
    const other = await stack.call(
      'Account_Update',
      { User: { ...user, Name: 'x', Email: 'other@example.com' } },
      token,
    );
    assertRefused(other, 400, 'invalid_argument', [
      'User.Email must be the stored address: Account_ChangeEmail changes it',
    ]);
    assertRefused(
      await stack.call('Account_Update', { User: { ExternalID: 'hr-1' } }, token),
      403,
      'permission_denied',
    );
    assert.deepEqual((await stack.call('Account_Get', {}, token)).body['User'], user);
    const wrong = await stack.call(
      'Account_Update',
      { User: { Locale: 'not a language', Name: 'x'.repeat(129) } },
      token,
    );
    assert.equal(wrong.body.Messages?.length, 2);
  });

  test('Account_ChangePassword requires the current password and ends the other sessions', async () => {
    const { email, token } = await signUp(stack);
    const other = await tokenOf(email);
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
    const reset = tokenIn(await mailTo(stack, email, 2));
    const wrong = await stack.call(
      'Account_ChangePassword',
      { Current: 'wrong password', Password: 'something quite new' },
      token,
    );
    assert.equal(wrong.status, 403);
    assert.deepEqual(
      (
        await stack.call(
          'Account_ChangePassword',
          { Current: password, Password: 'something quite new' },
          token,
        )
      ).body,
      {},
    );
    assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
    assert.equal((await stack.call('Account_Get', {}, other)).status, 401);
    assert.equal((await login(email)).status, 401);
    assert.equal((await login(email, 'something quite new')).status, 200);
    assert.match((await mailTo(stack, email, 3)).Subject, /password/i);
    // A reset link requested before the change is void.
    assertRefused(
      await stack.call('Account_ResetPassword', { Token: reset, Password: 'another one by mail' }),
      400,
      'failed_precondition',
    );
  });

  test('Account_ChangeEmail changes the address once the new one is verified, and notifies the old one', async () => {
    const { email, token } = await signUp(stack);
    const next = newAddress('next');
    assert.equal(
      (await stack.call('Account_ChangeEmail', { Email: next, Password: 'wrong password' }, token))
        .status,
      403,
    );
    assert.deepEqual(
      (await stack.call('Account_ChangeEmail', { Email: next, Password: password }, token)).body,
      {},
    );
    assert.equal((await login(next)).status, 401);
    const proof = tokenIn(await mailTo(stack, next));
    assert.equal((await stack.call('Account_Verify', { Token: proof })).status, 200);
    assert.equal((await stack.call('Account_Verify', { Token: proof })).status, 400);
    assert.equal((await login(next)).status, 200);
    assert.equal((await login(email)).status, 401);
    assert.match((await mailTo(stack, email, 2)).Subject, /address/i);
    const [told] = await rowsOf<{ event: string }>(
      stack,
      `select event from identity.outbox where type = 'user.updated' and event like $1`,
      [`%${next}%`],
    );
    assert.equal(
      (JSON.parse(String(told?.event)) as { previous: { Email?: string } }).previous.Email,
      email,
    );
  });

  test('Account_ChangeEmail of an account without a password requires a recent sign-in', async () => {
    const { id, token } = await signUp(stack);
    await rowsOf(stack, 'update identity.user_account set password_hash = null where id = $1', [
      id,
    ]);
    const change = () => stack.call('Account_ChangeEmail', { Email: newAddress('next') }, token);
    assert.equal((await change()).status, 200);
    await rowsOf(
      stack,
      "update identity.session set created_at = created_at - interval '16 minutes' where user_id = $1",
      [id],
    );
    assertRefused(await change(), 403, 'permission_denied', ['recent login required']);
  });

  test('Account_ChangeEmail to another account’s address answers the same and changes nothing', async () => {
    const [ada, bob] = [await signUp(stack), await signUp(stack)];
    assert.deepEqual(
      (await stack.call('Account_ChangeEmail', { Email: bob.email, Password: password }, ada.token))
        .body,
      {},
    );
    assert.doesNotMatch((await mailTo(stack, bob.email, 2)).Text, /bwk[a-z]_/);
    assert.equal((await login(ada.email)).status, 200);
  });

  test('Sessions_List shows the caller’s own sessions, and Sessions_Revoke and _RevokeAll end them at once', async () => {
    const { email, token } = await signUp(stack);
    const other = await tokenOf(email);
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

  test('Users_Create makes a verified user, for the platform only', async () => {
    const email = newAddress('provisioned');
    const { token } = await signUp(stack);
    assert.equal((await stack.call('Users_Create', { User: { Email: email } }, token)).status, 403);
    const created = await stack.call(
      'Users_Create',
      { User: { Email: email, Name: 'Grace', ExternalID: 'hr-7' }, Password: password },
      stack.platformKey,
    );
    const user = created.body['User'] as Record<string, unknown>;
    assert.deepEqual(
      [user['EmailVerified'], user['Status'], user['Name'], user['HasPassword']],
      [true, 'active', 'Grace', true],
    );
    assert.equal((await login(email)).status, 200);
    const again = await stack.call(
      'Users_Create',
      { User: { Email: email.toUpperCase() } },
      stack.platformKey,
    );
    assert.equal(again.body.Code, 'already_exists');
    const silent = newAddress('silent');
    await stack.call('Users_Create', { User: { Email: silent } }, stack.platformKey);
    assert.equal((await login(silent)).status, 401);
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

  test('passwords that are common or made of the address are refused with an explanation', async () => {
    const local = newAddress('lovelace').split('@')[0] ?? '';
    const answers = await Promise.all(
      ['password123', 'Qwertyuiop', `${local}1`, 'bailiwick1'].map((Password) =>
        stack.call('Account_Register', { Email: `${local}@example.com`, Password }),
      ),
    );
    for (const { status, body } of answers) assert.equal(status, 400, JSON.stringify(body));
    assert.match(String(answers[0]?.body.Messages), /most common/);
    assert.match(String(answers[2]?.body.Messages), /mail address/);
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

  test('Account_Register with a refused password creates nothing', async () => {
    const email = newAddress();
    assert.equal(
      (await stack.call('Account_Register', { Email: email, Password: 'password123' })).status,
      400,
    );
    await register(stack, email);
    assert.equal((await mailTo(stack, email)).To, email);
  });

  test('attempts with dead or unknown one-time tokens are audited by address, with one summary entry a minute', async () => {
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
      const answer = await stack.call(operation, request, by);
      assertRefused(answer, 400, 'failed_precondition', ['the token is not valid any more']);
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
        [operation, 'failed', 'failed_precondition', '127.0.0.1', []],
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
      assert.equal((await retryWhileBusy(() => stack.call('Account_Verify', again))).status, 400);
    const written = () =>
      rowsOf<{ audit: string }>(
        stack,
        `select audit from identity.outbox where audit like '%"token.refused"%' and audit like '%"Account_Verify"%'`,
      );
    const count = (await written()).length;
    assert.ok(count >= 10 && count <= 20, String(count));
  });
});
