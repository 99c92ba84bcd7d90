import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createPasswords } from '@bailiwick/identity/passwords/passwords.ts';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { breachedPassword } from '../../support/breached.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import {
  login,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

describeOne('profiles, addresses and passwords', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

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
    const other = String((await login(stack, email)).body['Token']);
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
    assert.equal((await login(stack, email)).status, 401);
    assert.equal((await login(stack, email, 'something quite new')).status, 200);
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
    assert.equal((await login(stack, next)).status, 401);
    const proof = tokenIn(await mailTo(stack, next));
    assert.equal((await stack.call('Account_Verify', { Token: proof })).status, 200);
    assert.equal((await stack.call('Account_Verify', { Token: proof })).status, 400);
    assert.equal((await login(stack, next)).status, 200);
    assert.equal((await login(stack, email)).status, 401);
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
    assert.equal((await login(stack, ada.email)).status, 200);
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
    assert.equal((await login(stack, email)).status, 200);
    const again = await stack.call(
      'Users_Create',
      { User: { Email: email.toUpperCase() } },
      stack.platformKey,
    );
    assert.equal(again.body.Code, 'already_exists');
    const silent = newAddress('silent');
    await stack.call('Users_Create', { User: { Email: silent } }, stack.platformKey);
    assert.equal((await login(stack, silent)).status, 401);
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

  test('a password from a breach is refused as a new password, and still signs in', async () => {
    const { id, email, token } = await signUp(stack);
    const guest = newAddress();
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: email }));
    const Token = tokenIn(await mailTo(stack, email, 2));
    const Password = breachedPassword;
    const messages = ['Password is known from a data breach'];
    for (const [operation, request, by] of [
      ['Account_Register', { Email: guest, Password }],
      ['Account_ResetPassword', { Token, Password }],
      ['Account_ChangePassword', { Current: password, Password }, token],
      ['Users_Create', { User: { Email: guest, Name: 'Ada' }, Password }, stack.platformKey],
    ] as const)
      assertRefused(await stack.call(operation, request, by), 400, 'invalid_argument', messages);
    // The reset's token is still good, for another password.
    bodyOf(await stack.call('Account_ResetPassword', { Token, Password: `${Password}!` }));

    const hash = await createPasswords().hash(Password);
    await rowsOf(stack, 'update identity.user_account set password_hash = $2 where id = $1', [
      id,
      hash,
    ]);
    bodyOf(await login(stack, email, Password));
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
});
