import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../../support/harness.ts';
import { mailsTo, mailTo, newAddress, password, signUp, tokenIn } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { assertExpiresIn, eventsOf, rowsOf } from '../../support/store.ts';
import { addTotp, totp } from '../../support/totp.ts';

const dead = ['the token is no longer valid'];
const codeIn = ({ Text }: { Text: string }): string => {
  const [code = ''] = /\b[A-HJ-NP-Z2-9]{8}\b/.exec(Text) ?? [];
  assert.notEqual(code, '', Text);
  return code;
};

type Person = Awaited<ReturnType<typeof signUp>>;
type SignedIn = {
  Token: string;
  Session: { AuthMethod: string; AuthMethods: string[]; Assurance: string };
  User: { ID: string };
};

describeOne('sign-in by a mailed code', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const ask = async (Email: string): Promise<string> =>
    (bodyOf(await stack.call('Account_RequestCode', { Email })) as { RequestToken: string })
      .RequestToken;
  const enter = (RequestToken: string, Code: string) =>
    stack.call('Account_LoginWithCode', { RequestToken, Code });
  /** A person without other mails of this kind, a request, and the code that was mailed. */
  async function mailed() {
    const person = await signUp(stack);
    const already = (await mailsTo(stack, person.email)).length;
    const request = await ask(person.email);
    return { person, request, code: codeIn(await mailTo(stack, person.email, already + 1)) };
  }
  const isWrong = (answer: Parameters<typeof assertRefused>[0]) =>
    assertRefused(answer, 401, 'unauthenticated', ['code is wrong']);
  const isDead = (answer: Parameters<typeof assertRefused>[0]) =>
    assertRefused(answer, 400, 'failed_precondition', dead);

  test('the mail with a code names the network address of its request, in text and HTML', async () => {
    const { email } = await signUp(stack);
    const already = (await mailsTo(stack, email)).length;
    await ask(email);
    const { Text, Html } = await mailTo(stack, email, already + 1);
    for (const part of [Text, Html])
      assert.match(part, /Network address of the request: 127\.0\.0\.1/);
  });

  test('a mailed code opens one session, however it is typed', async () => {
    const { person, request, code } = await mailed();
    const typed = ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `;
    const { Token, Session, User } = bodyOf(await enter(request, typed)) as SignedIn;
    assert.equal(User.ID, person.id);
    assert.deepEqual(
      [Session.AuthMethod, Session.AuthMethods, Session.Assurance],
      ['email_code', ['email_code'], 'aal1'],
    );
    bodyOf(await stack.call('Account_Get', {}, Token));
    isDead(await enter(request, code));
  });

  test('a mailed code, and a change of address, prove the mailbox of a user whom a social sign-in made', async () => {
    const { person, request, code } = await mailed();
    const set = 'update identity.user_account set mailbox_proven = false where id = $1';
    const isProven = async () => {
      const text = 'select mailbox_proven as proven from identity.user_account where id = $1';
      return (await rowsOf<{ proven: boolean }>(stack, text, [person.id]))[0]?.proven;
    };
    const verified = async () =>
      (await eventsOf(stack, 'identity', '')).filter(
        ({ type, data }) => type === 'user.verified' && data['ID'] === person.id,
      ).length;
    const before = await verified();
    await rowsOf(stack, set, [person.id]);
    isWrong(await enter(request, 'ABCDEFGH'));
    assert.equal(await isProven(), false);
    const { Token: fresh } = bodyOf(await enter(request, code));
    assert.deepEqual([await isProven(), await verified()], [true, before + 1]);
    // An earlier holder of the address may have opened it.
    assertRefused(await stack.call('Account_Get', {}, person.token), 401, 'unauthenticated');

    // Users who change their address are offered to join, and not added.
    await rowsOf(stack, set, [person.id]);
    const Email = newAddress('changed');
    bodyOf(await stack.call('Account_ChangeEmail', { Email, Password: password }, String(fresh)));
    const Token = tokenIn(await mailTo(stack, Email));
    assert.equal(await isProven(), false);
    bodyOf(await stack.call('Account_Verify', { Token }));
    assert.deepEqual([await isProven(), await verified()], [true, before + 1]);
  });

  test('a mailed code of a user with a second factor opens a challenge, and the factor the session', async () => {
    const person = await signUp(stack);
    const { secret } = await addTotp(stack, person.token);
    const request = await ask(person.email);
    // The notices about the app and its recovery codes may arrive earlier or later.
    const mail = await eventually('the mail with the code', async () =>
      (await mailsTo(stack, person.email)).find(({ Subject }) => Subject === 'Your sign-in code'),
    );
    const { Token, Challenge, Factors } = bodyOf(await enter(request, codeIn(mail)));
    assert.deepEqual([Token, Factors], ['', ['totp']]);
    const answer = { Challenge, Totp: totp(secret) };
    const { Session } = bodyOf(await stack.call('Account_CompleteLogin', answer)) as SignedIn;
    assert.deepEqual([Session.AuthMethods, Session.Assurance], [['email_code', 'totp'], 'aal2']);
  });

  test('a mailed code does not prove the mailbox of an account that has a factor', async () => {
    const { person, request, code } = await mailed();
    await addTotp(stack, person.token);
    const table = 'identity.user_account';
    await rowsOf(stack, `update ${table} set mailbox_proven = false where id = $1`, [person.id]);
    const { Challenge } = bodyOf(await enter(request, code));
    assert.notEqual(Challenge, '');
    const text = `select mailbox_proven as proven from ${table} where id = $1`;
    assert.deepEqual(await rowsOf(stack, text, [person.id]), [{ proven: false }]);
  });

  test('a code works with the request that it was mailed for only', async () => {
    const { person, request, code } = await mailed();
    const other = await ask(person.email);
    isWrong(await enter(other, code));
    bodyOf(await enter(request, code));
  });

  test('a code has five tries, even if 200 are made at once', async () => {
    const { request, code } = await mailed();
    const wrong = await Promise.all(Array.from({ length: 200 }, () => enter(request, 'AAAAAAAA')));
    assert.equal(wrong.filter(({ status }) => status === 401).length, 5);
    isDead(await enter(request, code));
  });

  test('200 sign-ins at once with one code open one session', async () => {
    const { request, code, person } = await mailed();
    const answers = await Promise.all(Array.from({ length: 200 }, () => enter(request, code)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    const sessions = await rowsOf(
      stack,
      `select id from identity.session where user_id = $1 and auth_method = 'email_code'`,
      [person.id],
    );
    assert.equal(sessions.length, 1);
  });

  test('an unknown address gets the same answer and no mail', async () => {
    const email = newAddress('stranger');
    const request = await ask(email);
    assert.match(request, /^bwkq_/);
    isWrong(await enter(request, 'AAAAAAAA'));
    const { code } = await mailed();
    isWrong(await enter(request, code));
    assert.deepEqual(await mailsTo(stack, email), []);
  });

  test('a code is void once all sessions are revoked, the user is disabled, or it has expired', async () => {
    const endings: Array<(person: Person) => Promise<unknown>> = [
      async ({ token }) => bodyOf(await stack.call('Sessions_RevokeAll', {}, token)),
      async ({ id: UserID }) =>
        bodyOf(await stack.call('Users_Disable', { UserID }, stack.platformKey)),
      ({ id }) =>
        rowsOf(stack, 'update identity.mailed_code set expires_at = now() where user_id = $1', [
          id,
        ]),
    ];
    for (const end of endings) {
      const { person, request, code } = await mailed();
      await assertExpiresIn(stack, 'mailed_code', person.id, 600);
      await end(person);
      assert.notEqual((await enter(request, code)).status, 200, String(end));
    }
  });

  test('the database has neither the request nor the code', async () => {
    const { person, request, code } = await mailed();
    const [row] = await rowsOf<{ text: string }>(
      stack,
      'select m::text as text from identity.mailed_code m where user_id = $1',
      [person.id],
    );
    assert.ok(row);
    for (const secret of [request, code]) assert.equal(row.text.includes(secret), false);
  });

  test('Account_SignInOptions says whether codes are mailed, and what a password needs', async () => {
    assert.deepEqual(bodyOf(await stack.call('Account_SignInOptions', {})), {
      EmailCode: true,
      Registration: 'open',
      PasswordLength: 8,
      AppURL: '',
      BreachCheck: true,
    });
  });
});

describeOne('an installation that mails no codes', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology);
  });
  after(() => stack?.stop());

  test('Account_RequestCode and Account_LoginWithCode are refused', async () => {
    const off = ['sign-in by mailed code is switched off'];
    const request = { RequestToken: 'x', Code: 'AAAAAAAA' };
    for (const answer of [
      await stack.call('Account_RequestCode', { Email: newAddress() }),
      await stack.call('Account_LoginWithCode', request),
    ])
      assertRefused(answer, 400, 'failed_precondition', off);
    const { EmailCode, BreachCheck } = bodyOf(await stack.call('Account_SignInOptions', {}));
    assert.deepEqual([EmailCode, BreachCheck], [false, false]);
  });
});
