import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createToken } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, mailsTo, mailTo, password, signUp, tokenIn } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { assertExpiresIn, countOf, rowsOf } from '../../support/store.ts';
import { addTotp, totp, wrongTotp } from '../../support/totp.ts';
import { dead, factorCalls } from './factor-calls.ts';

describeOne('signing in with a second factor', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());
  const { protectedUser, challengeOf, complete, factorsOf, actionsOf, hasMail } = factorCalls(
    () => stack,
  );

  test('Account_Login of a user with an authenticator app returns a challenge and no session', async () => {
    const { email, secret, userId } = await protectedUser();
    const answer = bodyOf(await login(stack, email));
    assert.equal(answer['Token'], '');
    assert.equal(answer['Session'], undefined);
    assert.equal(answer['User'], undefined);
    assert.deepEqual(answer['Factors'], ['totp']);
    assert.match(String(answer['Challenge']), /^bwkf_/);
    const sessions = () => countOf(stack, 'identity.session where user_id = $1', [userId]);
    assert.equal(await sessions(), 1);
    const completed = bodyOf(await complete(String(answer['Challenge']), { Totp: totp(secret) }));
    assert.match(String(completed['Token']), /^bwks_/);
    assert.equal((completed['User'] as { ID: string }).ID, userId);
    assert.equal(await sessions(), 2);
    const [factor] = (await factorsOf(String(completed['Token']))).Factors;
    assert.deepEqual([factor?.Kind, factor?.Name], ['totp', 'Phone']);
    assert.ok(factor?.LastUsedAt !== undefined);
  });

  test('Account_Login of a user with a factor sets no cookie, and Account_CompleteLogin sets it', async () => {
    const { email, secret } = await protectedUser();
    const challenged = await stack.call('Account_Login', {
      Email: email,
      Password: password,
      Cookie: true,
    });
    assert.equal(challenged.headers.get('set-cookie'), null);
    const completed = await complete(String(bodyOf(challenged)['Challenge']), {
      Totp: totp(secret),
      Cookie: true,
    });
    assert.equal(bodyOf(completed)['Token'], '');
    assert.match(completed.headers.get('set-cookie') ?? '', /bailiwick_session=bwks_.*HttpOnly/);
  });

  test('Account_Login with a wrong password discloses no factors', async () => {
    const [{ email }, plain] = [await protectedUser(), await signUp(stack)];
    const [one, other] = [
      await login(stack, email, 'a wrong password'),
      await login(stack, plain.email, 'a wrong password'),
    ];
    assertRefused(one, 401, 'unauthenticated', ['email or password is wrong']);
    assert.deepEqual({ ...one.body, RequestID: '' }, { ...other.body, RequestID: '' });
  });

  test('a code of an authenticator app works once, also for another challenge and for the code that confirmed it', async () => {
    const { email, secret } = await protectedUser();
    assertRefused(
      await complete(await challengeOf(email), { Totp: totp(secret, -1) }),
      401,
      'unauthenticated',
      ['code is wrong'],
    );
    const code = totp(secret);
    bodyOf(await complete(await challengeOf(email), { Totp: code }));
    assertRefused(
      await complete(await challengeOf(email), { Totp: code }),
      401,
      'unauthenticated',
      ['code is wrong'],
    );
  });

  test('a challenge works once and takes five tries', async () => {
    const { email, secret, userId } = await protectedUser();
    const used = await challengeOf(email);
    bodyOf(await complete(used, { Totp: totp(secret) }));
    assertRefused(
      await complete(used, { Totp: totp(secret, 1) }),
      400,
      'failed_precondition',
      dead,
    );

    const spent = await challengeOf(email);
    await rowsOf(stack, 'update identity.login_challenge set tries = 5 where user_id = $1', [
      userId,
    ]);
    assertRefused(
      await complete(spent, { Totp: totp(secret, 1) }),
      400,
      'failed_precondition',
      dead,
    );
  });

  test('a challenge that is expired, of another network or made up is void', async () => {
    const { email, secret, userId } = await protectedUser();
    for (const change of ["expires_at = now() - interval '1 second'", "network = '192.0.2.0/24'"]) {
      const challenge = await challengeOf(email);
      await assertExpiresIn(stack, 'login_challenge', userId, 600);
      await rowsOf(stack, `update identity.login_challenge set ${change} where user_id = $1`, [
        userId,
      ]);
      assertRefused(
        await complete(challenge, { Totp: totp(secret) }),
        400,
        'failed_precondition',
        dead,
      );
    }
    for (const challenge of [createToken('challenge'), createToken('session'), 'x'])
      assertRefused(
        await complete(challenge, { Totp: totp(secret) }),
        400,
        'failed_precondition',
        dead,
      );
  });

  test('a challenge ends with the password, the factors, the sessions and the account', async () => {
    const { email, secret, token, userId } = await protectedUser();
    const endings: Array<() => Promise<unknown>> = [
      async () =>
        bodyOf(
          await stack.call(
            'Account_ChangePassword',
            { Current: password, Password: password },
            token,
          ),
        ),
      () => addTotp(stack, token, 'Tablet'),
      async () => bodyOf(await stack.call('RecoveryCodes_Generate', {}, token)),
      async () => bodyOf(await stack.call('Users_Disable', { UserID: userId }, stack.platformKey)),
    ];
    for (const end of endings) {
      const challenge = await challengeOf(email);
      await end();
      assertRefused(
        await complete(challenge, { Totp: totp(secret) }),
        400,
        'failed_precondition',
        dead,
      );
    }
  });

  test('wrong codes lock the second step, however many challenges there are and even after a password reset', async () => {
    const { email, secret, userId } = await protectedUser();
    const failures = () =>
      countOf(stack, "identity.login_failure where email_key = 'factor ' || $1", [userId]);
    for (let tries = 0; tries < 5; tries++)
      assertRefused(
        await complete(await challengeOf(email), { Totp: wrongTotp(secret) }),
        401,
        'unauthenticated',
      );
    const mails = (await mailsTo(stack, email)).length;
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
    const Token = tokenIn(await mailTo(stack, email, mails + 1));
    bodyOf(await stack.call('Account_ResetPassword', { Token, Password: password }));
    const answer = await complete(await challengeOf(email), { Totp: totp(secret) });
    assertRefused(answer, 429, 'resource_exhausted');
    assert.ok(Number(answer.headers.get('retry-after')) > 20);

    await rowsOf(
      stack,
      "update identity.login_failure set blocked_until = now() where email_key = 'factor ' || $1",
      [userId],
    );
    bodyOf(await complete(await challengeOf(email), { Totp: totp(secret) }));
    assert.equal(await failures(), 0);
  });

  test('wrong codes from elsewhere do not lock the second step in a network where the user has used a factor', async () => {
    const { email, secret, userId } = await protectedUser();
    const key = "email_key = 'factor ' || $1";
    const [row] = await rowsOf<{ network: string }>(
      stack,
      `delete from identity.known_network where ${key} returning network`,
      [userId],
    );
    const guess = async () => complete(await challengeOf(email), { Totp: wrongTotp(secret) });
    for (let tries = 0; tries < 5; tries++) assertRefused(await guess(), 401, 'unauthenticated');
    assertRefused(await guess(), 429, 'resource_exhausted');
    await rowsOf(stack, "insert into identity.known_network values ('factor ' || $1, $2, now())", [
      userId,
      row?.network,
    ]);
    bodyOf(await complete(await challengeOf(email), { Totp: totp(secret) }));
    // The strangers, who share one count, got no further tries.
    assert.equal(
      await countOf(
        stack,
        `identity.login_failure where ${key} and network = '' and failures = 5`,
        [userId],
      ),
      1,
    );
    for (let tries = 0; tries < 5; tries++) assertRefused(await guess(), 401, 'unauthenticated');
    assertRefused(await guess(), 429, 'resource_exhausted');
  });

  test('after 100 wrong codes from a network only a reset of the factors helps there', async () => {
    const { email, secret, userId } = await protectedUser();
    await rowsOf(
      stack,
      `insert into identity.login_failure
       select email_key, network, 100, null, now() from identity.known_network where email_key = 'factor ' || $1`,
      [userId],
    );
    const answer = await complete(await challengeOf(email), { Totp: totp(secret) });
    assertRefused(answer, 429, 'resource_exhausted', [
      'too many failed sign-ins, ask for a reset of the second factors',
    ]);
    bodyOf(await stack.call('Users_ResetFactors', { UserID: userId }, stack.platformKey));
    assert.match(String(bodyOf(await login(stack, email))['Token']), /^bwks_/);
  });

  test('a session names its methods and assurance, and the one that adds the first factor is raised', async () => {
    const { email, secret, token } = await protectedUser();
    const { Session } = bodyOf(
      await complete(await challengeOf(email), { Totp: totp(secret) }),
    ) as { Session: { AuthMethods: string[]; Assurance: string } };
    assert.deepEqual([Session.AuthMethods, Session.Assurance], [['password', 'totp'], 'aal2']);
    const { Items } = bodyOf(await stack.call('Sessions_List', {}, token))['Page'] as {
      Items: Array<{ Current: boolean; AuthMethods: string[]; Assurance: string }>;
    };
    const raised = Items.find(({ Current }) => Current);
    assert.deepEqual([raised?.AuthMethods, raised?.Assurance], [['password', 'totp'], 'aal2']);
  });

  test('Account_CompleteLogin needs exactly one answer', async () => {
    const challenge = createToken('challenge');
    for (const [answer, message] of [
      [{}, 'one of Totp, RecoveryCode and Passkey is required'],
      [{ Totp: '123456', RecoveryCode: 'a' }, 'one of Totp, RecoveryCode and Passkey is required'],
      [{ Totp: '12345a' }, 'Totp must be six digits'],
    ] as const)
      assertRefused(await complete(challenge, answer), 400, 'invalid_argument', [message]);
  });

  test('a recovery code completes a sign-in once, with a mail that names the number left', async () => {
    const { email, token, userId } = await protectedUser();
    const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, token)) as {
      Codes: string[];
    };
    assert.equal(new Set(Codes).size, 10);
    const [code = '', second = ''] = Codes;
    const { Challenge, Factors } = bodyOf(await login(stack, email));
    assert.deepEqual(Factors, ['totp', 'recovery_code']);
    const completed = bodyOf(
      await complete(String(Challenge), { RecoveryCode: code.toUpperCase().replace('-', ' ') }),
    );
    assert.equal(completed['RecoveryCodesLeft'], 9);
    assertRefused(
      await complete(await challengeOf(email), { RecoveryCode: code }),
      401,
      'unauthenticated',
    );
    assert.equal(await actionsOf(userId, 'user.recovery_code_used'), 1);
    assert.match((await hasMail(email, /recovery code was used/)).Text, /codes left: 9/);
    bodyOf(await stack.call('RecoveryCodes_Generate', {}, token));
    assertRefused(
      await complete(await challengeOf(email), { RecoveryCode: second }),
      401,
      'unauthenticated',
    );
    const stored = await rowsOf<{ code_hash: Buffer }>(
      stack,
      'select code_hash from identity.recovery_code where user_id = $1',
      [userId],
    );
    assert.ok(stored.every(({ code_hash }) => code_hash.length === 32));
  });
});
