import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { bodyOf } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { settledStack } from '../support/shared.ts';
import { type Cli, createCli } from './cli.ts';

describe('bailiwick lock', () => {
  let stack: Stack;
  let cli: Cli;
  before(async () => {
    stack = await settledStack('one process');
    cli = createCli(stack.url, stack.platformKey);
  });
  after(async () => {
    cli?.remove();
    await stack?.stop();
  });

  test('locks a user by address, prints the receipt and exits with 0 once it is final', async () => {
    const { email, token, id } = await signUp(stack);
    const { stdout, stderr, code } = await cli.run(['lock', email, '--reason', 'lost', '--watch']);
    assert.equal(code, 0, stderr);
    assert.match(stdout, new RegExp(`^Receipt +lck_\\w+\nSubject +${id}\nTime +20`));
    assert.match(stdout, /^State +Kind +Name +Ends +Detail +Holder$/m);
    assert.match(stdout, /^dropped +cache +gateway/m);
    assert.match(stderr, /receipt lck_\w+ is final/);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    const { stdout: json } = await cli.run(['lock', id, '--json']);
    const answer = JSON.parse(json) as { Receipt: { Reason: string }; Signed: string };
    assert.equal(answer.Receipt.Reason, 'lost');
    assert.match(answer.Signed, /^[\w-]+\.[\w-]+\.[\w-]+$/);
  });

  test('unlock restores the account', async () => {
    const { email, id } = await signUp(stack);
    bodyOf(await stack.call('Users_Lock', { UserID: id }, stack.platformKey));
    const { code, stderr } = await cli.run(['unlock', email]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, / is active$/m);
  });

  test('locks a bot of a tenant', async () => {
    const owner = await signUp(stack);
    const tenant = await createTenant(stack, owner.token);
    const { ID } = await createBot(stack, tenant, owner.token);
    const own = createCli(stack.url, owner.token);
    try {
      const { stdout, stderr, code } = await own.run(['lock', ID, '--tenant', tenant]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, new RegExp(`^ends +token +deployer +20.* ${ID}$`, 'm'));
    } finally {
      own.remove();
    }
  });

  test('exits with 6 for an unknown user, and with 2 without one', async () => {
    assert.equal((await cli.run(['lock', createId('usr')])).code, 6);
    assert.equal((await cli.run(['lock'])).code, 2);
    assert.equal((await cli.run(['unlock'])).code, 2);
  });
});
