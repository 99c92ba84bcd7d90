import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import {
  type Changes,
  type SoftPasskey,
  unverified,
  usePasskey,
} from '../../support/authenticator.ts';
import { type Answer, describeOne, type Stack } from '../../support/harness.ts';
import {
  addPasskey,
  finishLogin,
  loginOptions,
  originOf,
  registrationOptions,
  signInWith,
} from '../../support/passkeys.ts';
import { signUp } from '../../support/people.ts';
import { appOrigin, sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

const unknown = ['unknown passkey'];
const dead = ['the token is no longer valid'];

type SignedIn = {
  Token: string;
  Session: { AuthMethod: string; AuthMethods: string[]; Assurance: string };
  User: { ID: string; LastLoginAt?: string };
};

describeOne('signing in with a passkey', 'five processes', (topology) => {
  let stack: Stack;
  let ada: { id: string; email: string; token: string; passkey: SoftPasskey; key: string };
  before(async () => {
    stack = await sharedStack(topology);
    ada = await newUser();
  });
  after(() => stack?.stop());

  async function newUser() {
    const person = await signUp(stack);
    const { passkey, record } = await addPasskey(stack, person.token);
    return { ...person, passkey, key: record.ID };
  }
  const sessionsOf = (id: string) => countOf(stack, 'identity.session where user_id = $1', [id]);
  const audited = (action: string, id: string) =>
    countOf(stack, 'identity.outbox where audit like $1 and audit like $2', [
      `%"Action":"${action}"%`,
      `%${id}%`,
    ]);
  const assertFailed = (answer: Answer, messages: string[]) =>
    assertRefused(answer, 401, 'unauthenticated', messages);

  test('Account_BeginPasskeyLogin names no account and stores nothing', async () => {
    const before = await countOf(stack, 'identity.used_challenge');
    const options = [await loginOptions(stack), await loginOptions(stack)].map(
      (text) => JSON.parse(text) as Record<string, unknown>,
    );
    const [one, other] = options.map(({ challenge, ...rest }) => {
      assert.ok(String(challenge).length > 80);
      return rest;
    });
    assert.deepEqual(one, other);
    assert.deepEqual(one, { rpId: '127.0.0.1', timeout: 600_000, userVerification: 'required' });
    assert.notEqual(options[0]?.['challenge'], options[1]?.['challenge']);
    assert.equal(await countOf(stack, 'identity.used_challenge'), before);
  });

  test('Account_FinishPasskeyLogin opens a phishing-resistant session', async () => {
    const { id, passkey, key } = ada;
    const { Token, Session, User } = bodyOf(await signInWith(stack, passkey)) as SignedIn;
    assert.equal(User.ID, id);
    assert.deepEqual(
      [Session.AuthMethod, Session.AuthMethods, Session.Assurance],
      ['passkey', ['passkey'], 'phishing_resistant'],
    );
    bodyOf(await stack.call('Account_Get', {}, Token));
    const { Page } = bodyOf(await stack.call('Passkeys_List', {}, Token)) as {
      Page: { Items: Array<{ ID: string; LastUsedAt?: string }> };
    };
    assert.deepEqual(
      Page.Items.map(({ ID, LastUsedAt }) => [ID, LastUsedAt !== undefined]),
      [[key, true]],
    );
    const dump = await rowsOf(stack, 'select * from identity.used_challenge');
    assert.ok(!JSON.stringify(dump).includes(Token));
  });

  test('Account_FinishPasskeyLogin with Cookie sets the session as a cookie for a browser', async () => {
    const Credential = usePasskey(await loginOptions(stack), originOf(stack), ada.passkey);
    const answer = await stack.call('Account_FinishPasskeyLogin', { Credential, Cookie: true });
    assert.equal(bodyOf(answer)['Token'], '');
    assert.match(answer.headers.get('set-cookie') ?? '', /^bailiwick_session=bwks_\w+;.*HttpOnly/);
  });

  test('Account_IssueCode takes a passkey session on to an application with its methods and assurance', async () => {
    const { Token } = bodyOf(await signInWith(stack, ada.passkey)) as SignedIn;
    const { Redirect } = bodyOf(
      await stack.call('Account_IssueCode', { ReturnTo: `${appOrigin}/back` }, Token),
    ) as { Redirect: string };
    const Code = new URL(Redirect).searchParams.get('code');
    const { Session } = bodyOf(await stack.call('Account_ExchangeCode', { Code })) as SignedIn;
    assert.deepEqual([Session.AuthMethods, Session.Assurance], [['passkey'], 'phishing_resistant']);
  });

  const refusals: Record<string, { changes: Changes; why: string }> = {
    'another origin': {
      changes: { origin: 'https://evil.example' },
      why: 'it was made for a page of another origin',
    },
    'another RP ID': {
      changes: { rpId: 'evil.example' },
      why: 'it was made for another site (RP ID)',
    },
    'a frame of another site': {
      changes: { crossOrigin: true },
      why: 'it was used in a frame of another site',
    },
    'no user verification': { changes: { flags: unverified }, why: 'the user was not verified' },
    'no user presence': { changes: { flags: 4 }, why: 'the user was not present' },
    'an answer to a registration': {
      changes: { type: 'webauthn.create' },
      why: 'it answers webauthn.create and not webauthn.get',
    },
    'a wrong signature': {
      changes: { signature: Buffer.from('3006020101020101', 'hex') },
      why: 'its signature is wrong',
    },
    'a malformed signature': {
      changes: { signature: randomBytes(70) },
      why: 'its signature is wrong',
    },
    'the user handle of another account': {
      changes: { userHandle: Buffer.from('usr_other').toString('base64url') },
      why: 'it is for another account',
    },
  };
  for (const [name, { changes, why }] of Object.entries(refusals))
    test(`Account_FinishPasskeyLogin refuses ${name}, audits it and opens no session`, async () => {
      const { id, passkey } = await newUser();
      const answer = await signInWith(stack, passkey, changes);
      assertFailed(answer, [`the passkey was not accepted: ${why}`]);
      assert.equal(await sessionsOf(id), 1);
      assert.equal(await audited('user.sign_in_failed', id), 1);
    });

  test('Account_FinishPasskeyLogin refuses a copy of an authenticator: its count goes back', async () => {
    const { id, passkey } = await newUser();
    bodyOf(await signInWith(stack, passkey, { count: 7 }));
    for (const count of [7, 6, 0])
      assertFailed(await signInWith(stack, passkey, { count }), [
        'the passkey was not accepted: its sign count is not higher than before: it may be a copy',
      ]);
    bodyOf(await signInWith(stack, passkey, { count: 8 }));
    assert.equal(await sessionsOf(id), 3);
    assert.equal(await audited('user.passkey_cloned', id), 3);
  });

  test('Account_FinishPasskeyLogin refuses malformed and unknown credentials', async () => {
    for (const credential of ['x', 'null', '[]', '{}', '{"id":"a","rawId":"a"}'])
      assertFailed(await finishLogin(stack, credential), [
        'the passkey was not accepted: it is malformed',
      ]);
    const stranger = { ...ada.passkey, id: randomBytes(32).toString('base64url') };
    assertFailed(await signInWith(stack, stranger), unknown);
    const { id, token, passkey, key } = await newUser();
    bodyOf(await stack.call('Passkeys_Delete', { ID: key }, token));
    assertFailed(await signInWith(stack, passkey), unknown);
    assert.equal(await sessionsOf(id), 1);
  });

  test('the passkey of a disabled or deleted user is not known', async () => {
    const { id, passkey } = await newUser();
    bodyOf(await stack.call('Users_Disable', { UserID: id }, stack.platformKey));
    assertFailed(await signInWith(stack, passkey), unknown);
    bodyOf(await stack.call('Users_Enable', { UserID: id }, stack.platformKey));
    bodyOf(await signInWith(stack, passkey));
    bodyOf(await stack.call('Users_Delete', { UserID: id }, stack.platformKey));
    assertFailed(await signInWith(stack, passkey), unknown);
  });

  test('a user whose address is not verified does not sign in with a passkey', async () => {
    const { id, passkey } = await newUser();
    await rowsOf(stack, 'update identity.user_account set email_verified = false where id = $1', [
      id,
    ]);
    assertRefused(await signInWith(stack, passkey), 403, 'permission_denied', [
      'email is not verified',
    ]);
  });

  test('the options of a sign-in work once and for a sign-in only', async () => {
    const options = await loginOptions(stack);
    const credential = usePasskey(options, originOf(stack), ada.passkey);
    bodyOf(await finishLogin(stack, credential));
    const registration = JSON.parse(await registrationOptions(stack, ada.token)) as {
      challenge: string;
    };
    for (const answer of [
      await finishLogin(stack, credential),
      await finishLogin(stack, usePasskey(options, originOf(stack), ada.passkey)),
      await signInWith(stack, ada.passkey, { challenge: registration.challenge }),
      await signInWith(stack, ada.passkey, { challenge: 'e30' }),
    ])
      assertRefused(answer, 400, 'failed_precondition', dead);
  });

  test('Account_FinishPasskeyLogin called 200 times at once with one challenge opens one session', async () => {
    const { id, passkey } = await newUser();
    const options = await loginOptions(stack);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () =>
        retryWhileBusy(() => finishLogin(stack, usePasskey(options, originOf(stack), passkey))),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', dead);
    assert.equal(await sessionsOf(id), 2);
  });
});
