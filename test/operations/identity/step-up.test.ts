import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { usePasskey } from '../../support/authenticator.ts';
import { newIdentity } from '../../support/federation.ts';
import { type Answer, describeOne, type Stack } from '../../support/harness.ts';
import { addPasskey, loginOptions, originOf } from '../../support/passkeys.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { addTotp, totp, wrongTotp } from '../../support/totp.ts';
import { dead, factorCalls } from './factor-calls.ts';

type Session = { ID: string; AuthMethods: string[]; Assurance: string; Current: boolean };
type StepUp = { Challenge: string; Factors: string[]; Options: string };

// A user proves a second factor in an open session.
describeOne('a step-up of a session', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());
  const { protectedUser, challengeOf, complete, factorsOf, hasMail } = factorCalls(() => stack);

  /** A user with an authenticator app, and a session that was opened before it was added. */
  async function plainSession() {
    const user = await signUp(stack);
    const token = String(bodyOf(await login(stack, user.email))['Token']);
    return {
      ...user,
      first: user.token,
      token,
      ...(await addTotp(stack, user.token)),
      userId: user.id,
    };
  }
  const begin = (token: string) => stack.call('Account_BeginStepUp', {}, token);
  const newStepUp = async (token: string) => bodyOf(await begin(token)) as StepUp;
  const answer = (token: string, Challenge: string, proof: object) =>
    stack.call('Account_CompleteStepUp', { Challenge, ...proof }, token);
  const stepUp = async (token: string, proof: object) =>
    bodyOf(await answer(token, (await newStepUp(token)).Challenge, proof)) as {
      Session: Session;
      RecoveryCodesLeft: number;
    };
  const assuranceOf = async (token: string) =>
    bodyOf(await stack.call('Account_Get', {}, token))['Assurance'];
  /** Makes the sign-in of a user's sessions older than 15 minutes. No gateway may have cached them. */
  const age = (userId: string) =>
    rowsOf(
      stack,
      "update identity.session set created_at = now() - interval '20 minutes', proven_at = null where user_id = $1",
      [userId],
    );
  const assertWrong = (refusal: Answer, message = 'code is wrong') =>
    assertRefused(refusal, 403, 'permission_denied', [message]);
  const assertDead = (refusal: Answer) => assertRefused(refusal, 400, 'failed_precondition', dead);

  test('Account_CompleteStepUp raises the session of the call and no other, and its sign-in counts as recent', async () => {
    const { userId, first, token, secret } = await plainSession();
    await age(userId);
    assertRefused(
      await stack.call('Factors_BeginTotp', { Name: 'Tablet' }, token),
      403,
      'permission_denied',
      ['recent login required'],
    );
    const { Challenge, Factors, Options } = await newStepUp(token);
    assert.match(Challenge, /^bwkf_/);
    assert.deepEqual([Factors, Options], [['totp'], '']);
    assert.equal(await assuranceOf(token), 'aal1');
    const { Session } = bodyOf(await answer(token, Challenge, { Totp: totp(secret) })) as {
      Session: Session;
    };
    assert.deepEqual(
      [Session.AuthMethods, Session.Assurance, Session.Current],
      [['password', 'totp'], 'aal2', true],
    );
    assert.equal(await assuranceOf(token), 'aal2');
    bodyOf(await stack.call('Factors_BeginTotp', { Name: 'Tablet' }, token));
    // The user's other session has its own age.
    assertRefused(
      await stack.call('Factors_BeginTotp', { Name: 'Tablet' }, first),
      403,
      'permission_denied',
      ['recent login required'],
    );
    const entries = await rowsOf<{ event: string; audit: string }>(
      stack,
      "select event, audit from identity.outbox where type = 'session.stepped_up' and audit like '%' || $1 || '%'",
      [Session.ID],
    );
    assert.equal(entries.length, 1);
    assert.ok(entries.every((entry) => !JSON.stringify(entry).includes(Challenge)));
    assertDead(await answer(token, Challenge, { Totp: totp(secret, 1) }));
  });

  test('a challenge of a step-up works in its session and network only, and opens no session', async () => {
    const { userId, email, first, token, secret } = await plainSession();
    const other = await protectedUser();
    const { Challenge } = await newStepUp(token);
    const right = { Totp: totp(secret) };
    for (const stranger of [first, other.token])
      assertDead(await answer(stranger, Challenge, right));
    assertDead(await complete(Challenge, right));
    assertDead(await answer(token, await challengeOf(email), right));
    await rowsOf(
      stack,
      "update identity.login_challenge set network = '192.0.2.0/24 ' || split_part(network, ' ', 2) where user_id = $1",
      [userId],
    );
    assertDead(await answer(token, Challenge, right));
    const [earlier, later] = [await newStepUp(token), await newStepUp(token)];
    assertDead(await answer(token, earlier.Challenge, right));
    bodyOf(await answer(token, later.Challenge, right));
    assert.equal(await countOf(stack, 'identity.session where user_id = $1', [userId]), 2);
  });

  test('a stolen session gains nothing without the factor: five tries, counted with those of sign-ins', async () => {
    const { email, token, secret } = await plainSession();
    const { Challenge } = await newStepUp(token);
    for (let tries = 0; tries < 4; tries++)
      assertWrong(await answer(token, Challenge, { Totp: wrongTotp(secret) }));
    assertRefused(
      await complete(await challengeOf(email), { Totp: wrongTotp(secret) }),
      401,
      'unauthenticated',
    );
    for (const refusal of [
      await answer(token, Challenge, { Totp: totp(secret) }),
      await complete(await challengeOf(email), { Totp: totp(secret) }),
    ])
      assertRefused(refusal, 429, 'resource_exhausted');
    assert.equal(await assuranceOf(token), 'aal1');
    bodyOf(await stack.call('Account_Get', {}, token));
  });

  test('a challenge takes five tries, and ends with its session and the factors', async () => {
    const { userId, first, token, secret } = await plainSession();
    const spent = await newStepUp(token);
    await rowsOf(stack, 'update identity.login_challenge set tries = 5 where user_id = $1', [
      userId,
    ]);
    assertDead(await answer(token, spent.Challenge, { Totp: totp(secret) }));
    const before = await newStepUp(token);
    bodyOf(await stack.call('RecoveryCodes_Generate', {}, first));
    assertDead(await answer(token, before.Challenge, { Totp: totp(secret) }));
    const { Challenge } = await newStepUp(token);
    bodyOf(await stack.call('Account_Logout', {}, token));
    assertRefused(await answer(token, Challenge, { Totp: totp(secret) }), 401, 'unauthenticated');
  });

  test('a recovery code raises a session once, with a mail', async () => {
    const { email, first, token } = await plainSession();
    const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, first)) as {
      Codes: string[];
    };
    assert.deepEqual((await newStepUp(token)).Factors, ['totp', 'recovery_code']);
    const { Session, RecoveryCodesLeft } = await stepUp(token, { RecoveryCode: Codes[0] });
    assert.deepEqual(
      [Session.AuthMethods, Session.Assurance, RecoveryCodesLeft],
      [['password', 'recovery_code'], 'aal2', 9],
    );
    await hasMail(email, /recovery code was used/);
    assertWrong(
      await answer(token, (await newStepUp(token)).Challenge, { RecoveryCode: Codes[0] }),
    );
  });

  test('a passkey raises a session to phishing_resistant, with options of this session only', async () => {
    const user = await signUp(stack);
    const token = String(bodyOf(await login(stack, user.email))['Token']);
    const { passkey } = await addPasskey(stack, user.token);
    const { Challenge, Factors, Options } = await newStepUp(token);
    assert.deepEqual(Factors, ['passkey']);
    const sign = (options: string) => usePasskey(options, originOf(stack), passkey);
    const foreign = (await newStepUp(user.token)).Options;
    for (const options of [await loginOptions(stack), foreign])
      assertDead(await answer(token, Challenge, { Passkey: sign(options) }));
    assertDead(await stack.call('Account_FinishPasskeyLogin', { Credential: sign(Options) }));
    const { Session } = bodyOf(await answer(token, Challenge, { Passkey: sign(Options) })) as {
      Session: Session;
    };
    assert.deepEqual(
      [Session.AuthMethods, Session.Assurance],
      [['password', 'passkey'], 'phishing_resistant'],
    );
  });

  test('a session from a provider proves a factor of ours with it, in every tenant', async () => {
    const { userId, token, secret, id } = await plainSession();
    const [own, foreign] = [await tenantFor(stack, userId), await tenantFor(stack, userId)];
    const provider = await newIdentity(stack, userId, own, 'confirmed');
    await rowsOf(
      stack,
      `update identity.session set auth_method = 'oidc', sso_tenant = $2, provider = $3, assurance = 'phishing_resistant'
       where user_id = $1 and further_methods = '{}'`,
      [userId, own, provider],
    );
    for (const ID of [own, foreign])
      bodyOf(
        await stack.call(
          'Tenants_Update',
          { Tenant: { ID, Settings: { RequireFactor: 'any' } } },
          stack.platformKey,
        ),
      );
    const groups = (Tenant: string) => stack.call('Groups_List', { Tenant }, token);
    const introspect = async () =>
      bodyOf(
        await stack.call('Tokens_Introspect', { Token: token, Tenant: foreign }, stack.platformKey),
      )['Active'];
    bodyOf(await groups(own));
    const required = ['second factor required'];
    assertRefused(await groups(foreign), 403, 'permission_denied', required);
    assert.equal(await introspect(), false);
    const { Session } = await stepUp(token, { Totp: totp(secret) });
    assert.deepEqual(
      [Session.AuthMethods, Session.Assurance],
      [['oidc', 'totp'], 'phishing_resistant'],
    );
    bodyOf(await groups(foreign));
    assert.equal(await introspect(), true);
    // The provider's statement does not count there, only the authenticator app.
    bodyOf(
      await stack.call(
        'Tenants_Update',
        { Tenant: { ID: foreign, Settings: { RequireFactor: 'phishing_resistant' } } },
        stack.platformKey,
      ),
    );
    assertRefused(await groups(foreign), 403, 'permission_denied', required);
    bodyOf(await groups(own));
    for (const Tenant of [own, foreign])
      await rowsOf(stack, "update access.tenant set settings = settings - 'factor' where id = $1", [
        Tenant,
      ]);
    bodyOf(await stack.call('Factors_Remove', { ID: id }, token));
    assert.deepEqual((await factorsOf(token)).Factors, []);
  });

  test('a session that is limited to a tenant, and a user without a factor, prove none', async () => {
    const { userId, token } = await plainSession();
    const tenant = await tenantFor(stack, userId);
    const provider = await newIdentity(stack, userId, tenant, 'address');
    await rowsOf(
      stack,
      `update identity.session set auth_method = 'oidc', sso_tenant = $2, provider = $3
       where user_id = $1 and further_methods = '{}'`,
      [userId, tenant, provider],
    );
    assert.equal((await begin(token)).status, 403);
    assertRefused(await begin((await signUp(stack)).token), 400, 'failed_precondition', [
      'a second factor is required first',
    ]);
  });

  test('a code of a raised session carries its proofs, and an application raises its own session only', async () => {
    const { userId, token, secret } = await plainSession();
    await age(userId);
    const issue = async () => {
      const { Redirect } = bodyOf(
        await stack.call('Account_IssueCode', { ReturnTo: `${appOrigin}/back` }, token),
      ) as { Redirect: string };
      return new URL(Redirect).searchParams.get('code');
    };
    const exchange = async (Code?: string | null) =>
      String(
        bodyOf(await stack.call('Account_ExchangeCode', { Code: Code ?? (await issue()) }))[
          'Token'
        ],
      );
    const app = await exchange();
    await stepUp(app, { Totp: totp(secret) });
    assert.deepEqual([await assuranceOf(app), await assuranceOf(token)], ['aal2', 'aal1']);
    const earlier = await issue();
    await stepUp(token, { Totp: totp(secret, 1) });
    const before = await exchange(earlier);
    assert.equal(await assuranceOf(before), 'aal1');
    assertRefused(
      await stack.call('Factors_BeginTotp', { Name: 'Tablet' }, before),
      403,
      'permission_denied',
    );
    const next = await exchange();
    assert.equal(await assuranceOf(next), 'aal2');
    bodyOf(await stack.call('Factors_BeginTotp', { Name: 'Tablet' }, next));
  });
});
