import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { describeOne, type Stack, startStack } from '../../support/harness.ts';
import { mailsTo, mailTo, password, signUp } from '../../support/people.ts';

describeOne('limits of mails', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  after(() => stack?.stop());

  const from = (ip: string) => ({ 'x-forwarded-for': ip });
  const login = (Email: string, Password: string, ip: string) =>
    stack.call('Account_Login', { Email, Password }, undefined, from(ip));
  const askReset = async (Email: string, ip: string) =>
    assert.equal(
      (await stack.call('Account_RequestPasswordReset', { Email }, undefined, from(ip))).status,
      200,
    );

  test('an address gets eight mails of a kind in 15 minutes from unknown networks, four from each, and further ones are dropped silently', async () => {
    const { email } = await signUp(stack);
    for (const network of ['192.0.2', '198.51.100', '203.0.113'])
      for (let host = 1; host <= 6; host++) await askReset(email, `${network}.${host}`);
    // Eight of these, and the verification mail, which is of another kind.
    await mailTo(stack, email, 9);
    const mails = await mailsTo(stack, email);
    assert.equal(mails.length, 9);
    const requested = (network: string) =>
      mails.filter(({ Text }) => Text.includes(`Network address of the request: ${network}`));
    assert.equal(requested('192.0.2.').length, 4);
    assert.equal(requested('198.51.100.').length, 4);
  });

  test('strangers with many networks do not use up the mails that a user requests at home', async () => {
    const home = '100.64.7.1';
    const { email } = await signUp(stack);
    assert.equal((await login(email, password, home)).status, 200);
    for (let network = 1; network <= 5; network++)
      for (let host = 1; host <= 5; host++)
        await askReset(email, `100.64.${100 + network}.${host}`);
    const before = (await mailTo(stack, email, 9), await mailsTo(stack, email)).length;
    assert.equal(before, 9);
    // Another address of the same network.
    for (let count = 0; count < 5; count++) await askReset(email, '100.64.7.2');
    await mailTo(stack, email, before + 4);
    assert.equal((await mailsTo(stack, email)).length, before + 4);
  });
});
