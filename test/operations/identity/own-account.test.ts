import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountChanges, countUnchanged } from '../../support/account-changes.ts';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { login, signUp } from '../../support/people.ts';
import { settledStack } from '../../support/shared.ts';

// Identity caches the answers of Account_Get for two seconds. A change of the shown data ends that.
// The races of the long lane repeat this with two replicas and more calls.
const atOnce = 40;

describeOne('the own account', 'five processes', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await settledStack(topology);
  });
  after(() => stack?.stop());

  const call = (operation: string, body: object, token = stack.platformKey) =>
    stack.call(operation, body, token);

  for (const [name, prepare] of Object.entries(accountChanges))
    test(`${name}: none of the later calls of Account_Get shows the old account`, async () => {
      const { token, change } = await prepare(call);
      const get = () => call('Account_Get', {}, token);
      assert.deepEqual(await countUnchanged(get, change, atOnce), { before: atOnce, after: 0 });
    });

  test('Account_Login: its session sees its own sign-in at once, and an earlier one within two seconds', async () => {
    const { email, token } = await signUp(stack);
    const lastLogin = async (of: string) =>
      (bodyOf(await call('Account_Get', {}, of))['User'] as { LastLoginAt: string }).LastLoginAt;
    const earlier = await lastLogin(token);
    const { Token, User } = bodyOf(await login(stack, email)) as {
      Token: string;
      User: { LastLoginAt: string };
    };
    assert.notEqual(User.LastLoginAt, earlier);
    assert.equal(await lastLogin(Token), User.LastLoginAt);
    await sleep(2000);
    assert.equal(await lastLogin(token), User.LastLoginAt);
  });
});
