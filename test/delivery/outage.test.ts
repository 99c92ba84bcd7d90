import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeBoth, eventually, type Stack, startStack } from '../harness.ts';
import { mailsTo, mailTo, newAddress, register, signUp } from '../people.ts';

describeBoth('outages', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, {}, { ownServer: true });
  });
  after(() => stack?.stop());

  test('without the broker changes are accepted and kept, and go out when it returns', async () => {
    const { token } = await signUp(stack);
    await stack.stopBroker();
    const address = newAddress('patient');
    await register(stack, address);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
    await sleep(500);
    assert.deepEqual(await mailsTo(stack, address), []);
    await stack.startBroker();
    await mailTo(stack, address);
    await stack.ready();
  });

  test('without the database calls fail clearly, and work again by themselves when it returns', async () => {
    const { token } = await signUp(stack);
    await stack.stopDatabase();
    const answer = await stack.call('Account_Get', {}, token);
    assert.equal(answer.status, 500);
    assert.equal(answer.body.Code, 'unavailable');
    assert.deepEqual(answer.body.Messages, ['the service is temporarily unavailable']);
    await stack.startDatabase();
    await eventually('the service again', async () => (await stack.call('Account_Get', {}, token)).status === 200, 15_000);
    const address = newAddress('afterwards');
    await register(stack, address);
    await mailTo(stack, address);
  });
});
