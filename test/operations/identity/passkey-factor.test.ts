import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import {
  type Changes,
  type SoftPasskey,
  unverified,
  usePasskey,
} from '../../support/authenticator.ts';
import { type Answer, describeOne, eventually, type Stack } from '../../support/harness.ts';
import {
  addPasskey,
  finishLogin,
  loginOptions,
  originOf,
  signInWith,
} from '../../support/passkeys.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf, whileLocked } from '../../support/store.ts';

const unknown = ['unknown passkey'];
const dead = ['the token is no longer valid'];

type SignedIn = {
  Session: { AuthMethods: string[]; Assurance: string };
  User: { ID: string };
};

describeOne('a passkey as the second factor', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  async function newUser() {
    const person = await signUp(stack);
    const { passkey, record } = await addPasskey(stack, person.token);
    return { ...person, passkey, key: record.ID };
  }
  const sessionsOf = (id: string) => countOf(stack, 'identity.session where user_id = $1', [id]);
  const copiesOf = (id: string) =>
    countOf(stack, 'identity.outbox where audit like $1 and audit like $2', [
      '%"Action":"user.passkey_cloned"%',
      `%${id}%`,
    ]);
  const assertFailed = (answer: Answer, messages: string[]) =>
    assertRefused(answer, 401, 'unauthenticated', messages);
  const challengeOf = async (email: string) => {
    const answer = bodyOf(await login(stack, email)) as { Challenge: string; Factors: string[] };
    return { Challenge: answer.Challenge, Factors: answer.Factors };
  };
  const complete = (request: object) => stack.call('Account_CompleteLogin', request);
  const answerWith = async (passkey: SoftPasskey, changes: Changes = {}) =>
    usePasskey(await loginOptions(stack), originOf(stack), passkey, changes);

  test('the password of a user with a passkey opens no session without it', async () => {
    const { id, email, passkey } = await newUser();
    const { Challenge, Factors } = await challengeOf(email);
    assert.deepEqual(Factors, ['passkey']);
    const request = { Challenge, Passkey: await answerWith(passkey) };
    const { Session, User } = bodyOf(await complete(request)) as SignedIn;
    assert.deepEqual(
      [User.ID, Session.AuthMethods, Session.Assurance],
      [id, ['password', 'passkey'], 'phishing_resistant'],
    );
    assertRefused(await complete(request), 400, 'failed_precondition', dead);
    assert.equal(await sessionsOf(id), 2);
  });

  test('Account_CompleteLogin refuses a passkey of another user, and a wrong or repeated answer', async () => {
    const [{ id, email, passkey }, other] = [await newUser(), await newUser()];
    const { Challenge } = await challengeOf(email);
    for (const Passkey of [
      await answerWith(other.passkey),
      await answerWith(passkey, { origin: 'https://evil.example' }),
      await answerWith(passkey, { flags: unverified }),
      '{}',
    ])
      assertFailed(await complete({ Challenge, Passkey }), ['the passkey was not accepted']);
    const Passkey = await answerWith(passkey);
    bodyOf(await finishLogin(stack, Passkey));
    assertRefused(await complete({ Challenge, Passkey }), 400, 'failed_precondition', dead);
    assert.equal(await sessionsOf(id), 2);
  });

  test('Account_CompleteLogin refuses a copy of an authenticator, and audits it', async () => {
    const { id, email, passkey } = await newUser();
    bodyOf(await signInWith(stack, passkey, { count: 7 }));
    const { Challenge } = await challengeOf(email);
    assertFailed(await complete({ Challenge, Passkey: await answerWith(passkey, { count: 7 }) }), [
      'the passkey was not accepted',
    ]);
    bodyOf(await complete({ Challenge, Passkey: await answerWith(passkey, { count: 8 }) }));
    assert.equal(await copiesOf(id), 1);
  });

  test('Account_CompleteLogin refuses one of two answers with the same count at once, and audits it', async () => {
    const { id, email, passkey } = await newUser();
    const requests: object[] = [];
    for (let index = 0; index < 2; index++) {
      const { Challenge } = await challengeOf(email);
      requests.push({ Challenge, Passkey: await answerWith(passkey, { count: 7 }) });
    }
    // Both are checked before the first of them is used.
    const lock = 'select from identity.user_account where id = $1 for update';
    const race = await whileLocked(stack, lock, [id], async () => {
      const answers = requests.map(complete);
      const tried = 'identity.login_challenge where user_id = $1 and tries = 1';
      await eventually('both tries', async () => (await countOf(stack, tried, [id])) === 2);
      await sleep(100);
      return { answers };
    });
    const answers = await Promise.all(race.answers);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 401]));
    assert.equal(await copiesOf(id), 1);
  });

  test('Account_CompleteLogin called 200 times at once with one answer opens one session', async () => {
    const { id, email, passkey } = await newUser();
    const { Challenge } = await challengeOf(email);
    const request = { Challenge, Passkey: await answerWith(passkey) };
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => retryWhileBusy(() => complete(request))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(await sessionsOf(id), 2);
  });

  test('an added or removed passkey voids the sign-ins that wait for a second factor', async () => {
    const { email, token, passkey, key } = await newUser();
    const first = await challengeOf(email);
    await addPasskey(stack, token, 'Second');
    const second = await challengeOf(email);
    bodyOf(await stack.call('Passkeys_Delete', { ID: key }, token));
    for (const { Challenge } of [first, second])
      assertRefused(
        await complete({ Challenge, Passkey: await answerWith(passkey) }),
        400,
        'failed_precondition',
        dead,
      );
  });

  test('a session without a second factor changes no passkey of a user who has one', async () => {
    const { id, token, key } = await newUser();
    await rowsOf(
      stack,
      "update identity.session set assurance = 'aal1', further_methods = '{}' where user_id = $1",
      [id],
    );
    for (const [operation, request] of [
      ['Passkeys_BeginRegistration', {}],
      ['Passkeys_Delete', { ID: key }],
    ] as const)
      assertRefused(await stack.call(operation, request, token), 403, 'permission_denied', [
        'second factor required',
      ]);
  });

  test('the session that adds the first passkey is raised, and may make recovery codes', async () => {
    const { email, token, passkey, key } = await newUser();
    const { Codes } = bodyOf(await stack.call('RecoveryCodes_Generate', {}, token)) as {
      Codes: string[];
    };
    const { Challenge, Factors } = await challengeOf(email);
    assert.deepEqual(Factors, ['passkey', 'recovery_code']);
    bodyOf(await complete({ Challenge, RecoveryCode: Codes[0] }));
    const listed = bodyOf(await stack.call('Factors_List', {}, token)) as {
      Factors: Array<{ ID: string; Kind: string; Name: string }>;
      RecoveryCodesLeft: number;
    };
    assert.deepEqual(
      [listed.Factors.map(({ ID, Kind, Name }) => [ID, Kind, Name]), listed.RecoveryCodesLeft],
      [[[key, 'passkey', 'Laptop']], 9],
    );
    bodyOf(await stack.call('Passkeys_Delete', { ID: key }, token));
    assert.deepEqual(bodyOf(await stack.call('Factors_List', {}, token)), {
      Factors: [],
      RecoveryCodesLeft: 0,
    });
    assertFailed(await signInWith(stack, passkey), unknown);
    assert.equal((await login(stack, email)).body['Challenge'], '');
  });

  test('Users_ResetFactors deletes the passkeys of the user', async () => {
    const { id, email, passkey } = await newUser();
    bodyOf(await stack.call('Users_ResetFactors', { UserID: id }, stack.platformKey));
    assertFailed(await signInWith(stack, passkey), unknown);
    assert.equal((await login(stack, email)).body['Challenge'], '');
  });

  test('the last passkey that a tenant requires stays', async () => {
    const { id, token, passkey, key } = await newUser();
    const Settings = { RequireFactor: 'phishing_resistant', FactorGraceDays: 0 };
    const Tenant = await tenantFor(stack, id);
    bodyOf(
      await stack.call('Tenants_Update', { Tenant: { ID: Tenant, Settings } }, stack.platformKey),
    );
    assertRefused(
      await stack.call('Passkeys_Delete', { ID: key }, token),
      400,
      'failed_precondition',
      ['Acme requires a second factor: add another one first'],
    );
    bodyOf(await signInWith(stack, passkey));
    await addPasskey(stack, token, 'Second');
    bodyOf(await stack.call('Passkeys_Delete', { ID: key }, token));
  });
});
