import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { tokenHash } from '@bailiwick/contract';
import { describeBoth, type Stack } from '../../support/harness.ts';
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

describeBoth('accounts', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  test('Account_ResetPassword sets the password, ends every session and sends a notice', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(stack, email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const first = await mailTo(stack, email, 2);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const second = await mailTo(stack, email, 3);
    assert.ok(second.Links.some((link) => link.startsWith(`${stack.url}/reset#token=`)));
    const dead = await stack.call('Account_ResetPassword', {
      Token: tokenIn(first),
      Password: 'a brand new one',
    });
    assert.equal(dead.status, 400);
    assert.equal(dead.body.Code, 'failed_precondition');
    assert.equal(
      (
        await stack.call('Account_ResetPassword', {
          Token: tokenIn(second),
          Password: 'a brand new one',
        })
      ).status,
      200,
    );
    for (const session of [token, other])
      assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
    assert.equal((await login(stack, email)).status, 401);
    assert.equal((await login(stack, email, 'a brand new one')).status, 200);
    await mailTo(stack, email, 4);
  });

  test('Account_Login answers the same for a wrong password, an unknown address and an invalid address', async () => {
    const { email } = await signUp(stack);
    const answers = await Promise.all([
      login(stack, email, 'wrong password'),
      login(stack, newAddress(), password),
      login(stack, 'not an address', password),
    ]);
    for (const { status, body } of answers) {
      assert.equal(status, 401);
      assert.deepEqual(body.Messages, ['email or password is wrong']);
    }
  });

  test('Account_Logout ends this session at once, and no other session', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(stack, email)).body['Token']);
    assert.deepEqual((await stack.call('Account_Logout', {}, token)).body, {});
    const answer = await stack.call('Account_Get', {}, token);
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
    assert.equal((await stack.call('Account_Get', {}, other)).status, 200);
  });

  test('Users_GetByEmail returns the caller’s own user, and denies a stranger for known and unknown addresses alike', async () => {
    const ada = await signUp(stack);
    const bob = await signUp(stack);
    const own = await stack.call('Users_GetByEmail', { Email: ada.email.toUpperCase() }, ada.token);
    assert.equal((own.body['User'] as { ID: string }).ID, ada.id);
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: ada.email }, bob.token)).status,
      403,
    );
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: newAddress() }, bob.token)).status,
      403,
    );
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: ada.email }, stack.platformKey)).status,
      200,
    );
    assert.equal(
      (await stack.call('Users_GetByEmail', { Email: newAddress() }, stack.platformKey)).body.Code,
      'not_found',
    );
  });

  test('expired tokens and sessions do not work, even before the sweeper deletes them', async () => {
    const pending = newAddress();
    await register(stack, pending);
    const verify = tokenIn(await mailTo(stack, pending));
    const { id, email, token } = await signUp(stack);
    const idle = String((await login(stack, email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    await rowsOf(
      stack,
      `update identity.registration set expires_at = now() - interval '1 second' where email = '${pending}'`,
    );
    await rowsOf(
      stack,
      `update identity.reset_token set expires_at = now() - interval '1 second' where user_id = '${id}'`,
    );
    const [first, second] = [tokenHash(token), tokenHash(idle)].map((hash) =>
      Buffer.from(hash).toString('hex'),
    );
    await rowsOf(
      stack,
      `update identity.session set expires_at = now() - interval '1 second' where token_hash = '\\x${first}'`,
    );
    await rowsOf(
      stack,
      `update identity.session set last_seen_at = now() - interval '8 days' where token_hash = '\\x${second}'`,
    );
    assert.equal(
      (await stack.call('Account_Verify', { Token: verify })).body.Code,
      'failed_precondition',
    );
    assert.equal(
      (await stack.call('Account_ResetPassword', { Token: reset, Password: password })).body.Code,
      'failed_precondition',
    );
    for (const session of [token, idle])
      assert.equal((await stack.call('Account_Get', {}, session)).status, 401);
  });

  test('Account_ResetPassword takes a token only for the address that it was sent to', async () => {
    const { id, email } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'a brand new one' };
    const moveTo = (address: string) =>
      rowsOf(stack, `update identity.user_account set email_key = '${address}' where id = '${id}'`);
    await moveTo(newAddress());
    assert.equal(
      (await stack.call('Account_ResetPassword', reset)).body.Code,
      'failed_precondition',
    );
    await moveTo(email);
    assert.equal((await stack.call('Account_ResetPassword', reset)).status, 200);
  });

  test('a disabled user keeps no session, gets no new one, and cannot reset the password', async () => {
    const { id, email } = await signUp(stack);
    const token = String((await login(stack, email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'a brand new one' };
    await rowsOf(stack, `update identity.user_account set status = 'disabled' where id = '${id}'`);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    assert.equal((await login(stack, email)).status, 401);
    assert.equal(
      (await stack.call('Account_ResetPassword', reset)).body.Code,
      'failed_precondition',
    );
  });
});
