import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import {
  login,
  mailsTo,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

/** The address with fullwidth letters and digits before the `@`. */
const inFullwidth = (email: string): string =>
  email.replace(/[a-z0-9](?=.*@)/g, (letter) =>
    String.fromCodePoint(letter.charCodeAt(0) + 0xfee0),
  );

describeOne('registration', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('Account_Register answers the same for a known address, and mails its owner', async () => {
    const { email, id } = await signUp(stack);
    const again = await stack.call('Account_Register', {
      Email: email.toUpperCase(),
      Password: 'another password',
    });
    assert.equal(again.status, 200);
    assert.match(String(again.body['UserID']), /^usr_/);
    assert.notEqual(again.body['UserID'], id);
    const mail = await mailTo(stack, email, 2);
    assert.match(mail.Subject, /already/i);
    assert.doesNotMatch(mail.Text, /bwk[a-z]_/);
    assert.equal((await login(stack, email, 'another password')).status, 401);
    assert.equal((await login(stack, email)).status, 200);
  });

  test('Account_Register keeps the Locale for its mails and for the user', async () => {
    const [email, Password] = [newAddress('locale'), password];
    const ask = (Locale: string) =>
      stack.call('Account_Register', { Email: email, Password, Locale });
    assertRefused(await ask('not a language'), 400, 'invalid_argument', [
      'Locale must be a language tag such as en or pt-BR, at most 35 characters',
    ]);
    bodyOf(await ask('ja'));
    const first = await mailTo(stack, email);
    assert.equal(first.Subject, 'メールアドレスの確認');
    assert.match(first.Links[0] ?? '', /\/verify\?ui_locale=ja#token=/);
    bodyOf(await stack.call('Account_ResendVerification', { Email: email }));
    const second = await mailTo(stack, email, 2);
    assert.equal(second.Subject, first.Subject);
    bodyOf(await stack.call('Account_Verify', { Token: tokenIn(second) }));
    const { User } = bodyOf(await login(stack, email)) as unknown as { User: { Locale: string } };
    assert.equal(User.Locale, 'ja');
  });

  test('Account_Register of an address in fullwidth letters is for the account of the plain spelling', async () => {
    const { id, email } = await signUp(stack, newAddress('wide'));
    const fullwidth = inFullwidth(email);
    await register(stack, fullwidth);
    assert.match((await mailTo(stack, email, 2)).Subject, /already/i);
    assert.equal(await countOf(stack, 'identity.registration where email = $1', [fullwidth]), 0);
    const { User } = bodyOf(await login(stack, fullwidth)) as unknown as {
      User: { ID: string; Email: string };
    };
    assert.deepEqual([User.ID, User.Email], [id, email]);
    const answer = await stack.call(
      'Users_Create',
      { User: { Email: fullwidth } },
      stack.platformKey,
    );
    assertRefused(answer, 400, 'already_exists');
  });

  test('an older account with a fullwidth address stays reachable beside the account of the plain spelling', async () => {
    const before = await signUp(stack, newAddress('former'));
    const fullwidth = inFullwidth(before.email);
    await rowsOf(
      stack,
      'update identity.user_account set email = $2, email_key = $2 where id = $1',
      [before.id, fullwidth],
    );
    const plain = await signUp(stack, before.email, 1);
    const idOf = async (email: string) =>
      (bodyOf(await login(stack, email))['User'] as { ID: string }).ID;
    assert.deepEqual([await idOf(fullwidth), await idOf(before.email)], [before.id, plain.id]);
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: fullwidth }));
    tokenIn(await mailTo(stack, fullwidth));
  });

  test('Account_Verify of a disputed address never activates a password that a stranger has set', async () => {
    const email = newAddress('victim');
    await stack.call('Account_Register', { Email: email, Password: 'planted by a stranger' });
    const planted = await mailTo(stack, email);
    await register(stack, email);
    const own = await mailTo(stack, email, 2);
    assert.notEqual(tokenIn(own), tokenIn(planted));
    assert.equal((await stack.call('Account_Verify', { Token: tokenIn(planted) })).status, 200);
    // Neither password works; the user sets one by a reset mail.
    assert.equal((await login(stack, email, 'planted by a stranger')).status, 401);
    assert.equal((await login(stack, email)).status, 401);
    assert.equal((await stack.call('Account_Verify', { Token: tokenIn(own) })).status, 400);
    const reset = await mailTo(stack, email, 3);
    assert.match(tokenIn(reset), /^bwkr_/);
    assert.equal(
      (
        await stack.call('Account_ResetPassword', {
          Token: tokenIn(reset),
          Password: 'mine and only mine',
        })
      ).status,
      200,
    );
    assert.equal((await login(stack, email, 'mine and only mine')).status, 200);
  });

  test('Account_Verify keeps the password if all attempts had the same one', async () => {
    const email = newAddress();
    const first = await register(stack, email);
    await mailTo(stack, email);
    await register(stack, email);
    await mailTo(stack, email, 2);
    const oldest = (await mailsTo(stack, email)).at(-1);
    assert.ok(oldest);
    assert.equal((await stack.call('Account_Verify', { Token: tokenIn(oldest) })).status, 200);
    const { status, body } = await login(stack, email);
    assert.equal(status, 200);
    assert.equal((body['User'] as { ID: string }).ID, first);
  });

  test('Account_Register called twice at once with one password keeps the password', async () => {
    const email = newAddress();
    await Promise.all([register(stack, email), register(stack, email)]);
    await mailTo(stack, email, 2);
    const [newest] = await mailsTo(stack, email);
    assert.ok(newest);
    assert.equal((await stack.call('Account_Verify', { Token: tokenIn(newest) })).status, 200);
    assert.equal((await login(stack, email)).status, 200);
  });

  test('Account_Verify of several attempts for one address at once creates one account', async () => {
    for (let round = 0; round < 3; round++) {
      const email = newAddress();
      for (let attempt = 0; attempt < 4; attempt++) await register(stack, email);
      await mailTo(stack, email, 4);
      const tokens = (await mailsTo(stack, email)).map(tokenIn);
      const answers = await Promise.all(
        tokens.map((token) => stack.call('Account_Verify', { Token: token })),
      );
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
      assert.equal(answers.filter(({ status }) => status === 400).length, 3);
    }
  });

  test('Account_ResendVerification sends a new token, voids the old one, and does not disclose unknown addresses', async () => {
    const email = newAddress();
    await register(stack, email);
    const first = await mailTo(stack, email);
    assert.deepEqual((await stack.call('Account_ResendVerification', { Email: email })).body, {});
    const second = await mailTo(stack, email, 2);
    assert.equal((await stack.call('Account_Verify', { Token: tokenIn(first) })).status, 400);
    assert.equal((await stack.call('Account_Verify', { Token: tokenIn(second) })).status, 200);
    const unknown = newAddress('unknown');
    assert.deepEqual((await stack.call('Account_ResendVerification', { Email: unknown })).body, {});
    assert.deepEqual(
      (await stack.call('Account_RequestPasswordReset', { Email: unknown })).body,
      {},
    );
    await sleep(500);
    assert.deepEqual(await mailsTo(stack, unknown), []);
  });
});
