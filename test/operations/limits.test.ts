import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type Answer, describeBoth, type Stack, startStack } from '../harness.ts';
import { mailsTo, mailTo, newAddress, password, signUp, tokenIn } from '../people.ts';

describeBoth('limits', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  after(() => stack?.stop());

  let address = 0;
  const from = (ip = `198.51.100.${++address}`) => ({ 'x-forwarded-for': ip });
  const login = (email: string, secret: string, ip?: string) => stack.call('Account_Login', { Email: email, Password: secret }, undefined, from(ip));

  function assertLimited(answer: Answer | undefined): void {
    assert.equal(answer?.status, 429, JSON.stringify(answer?.body));
    assert.equal(answer.body.Code, 'resource_exhausted');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }

  test('an address gets 60 registrations a minute, counted atomically', async () => {
    const ip = '203.0.113.7';
    const answers = await Promise.all(Array.from({ length: 80 }, () => stack.call('Account_Register', '{}', undefined, from(ip))));
    assert.equal(answers.filter(({ status }) => status === 400).length, 60);
    assertLimited(answers.find(({ status }) => status === 429));
    assert.equal((await stack.call('Account_Register', '{}', undefined, from('203.0.113.8'))).status, 400);
  });

  test('the limit comes before the body is read, and an IPv6 network counts as one', async () => {
    const answers = [];
    for (let index = 0; index < 61; index++)
      answers.push(await stack.call('Account_Register', 'no json', undefined, from(`2001:db8:1:2::${index.toString(16)}`)));
    assertLimited(answers.at(-1));
    assert.equal((await stack.call('Account_Register', 'no json', undefined, from('2001:db8:1:3::1'))).status, 400);
  });

  test('X-Forwarded-For is believed up to the first address that is no proxy', async () => {
    for (let index = 0; index < 60; index++) await stack.call('Account_Register', '{}', undefined, from(`192.0.2.${index}, 203.0.113.9`));
    assertLimited(await stack.call('Account_Register', '{}', undefined, from('192.0.2.200, 203.0.113.9')));
    assertLimited(await stack.call('Account_Register', '{}', undefined, from('203.0.113.9, 127.0.0.9')));
  });

  test('from the fifth wrong password on an account waits, also for two hundred guesses at once', async () => {
    const { email } = await signUp(stack);
    const answers = await Promise.all(Array.from({ length: 19 }, (_, index) => login(email, `guess number ${index}`)));
    assert.equal(answers.filter(({ status }) => status === 401).length, 5);
    assertLimited(answers.find(({ status }) => status === 429));
    // An unknown address is treated alike.
    const unknown = newAddress('unknown');
    const others = await Promise.all(Array.from({ length: 19 }, () => login(unknown, 'guess')));
    assert.equal(others.filter(({ status }) => status === 401).length, 5);
  });

  test('guesses from elsewhere do not lock the person out at home, and a reset opens every lock', async () => {
    const home = '198.51.100.250';
    const { email } = await signUp(stack);
    assert.equal((await login(email, password, home)).status, 200);
    for (let guess = 0; guess < 6; guess++) await login(email, 'a wrong guess', '192.0.2.66');
    assertLimited(await login(email, password, '192.0.2.66'));
    assert.equal((await login(email, password, home)).status, 200);
    await setFailures(stack, email, 100);
    assertLimited(await login(email, password, '192.0.2.67'));
    await stack.call('Account_RequestPasswordReset', { Email: email }, undefined, from());
    await stack.call('Account_ResetPassword', { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'opened again at last' }, undefined, from());
    assert.equal((await login(email, 'opened again at last', '192.0.2.67')).status, 200);
  });

  test('an account gets 20 sign-ins a minute', async () => {
    const { email } = await signUp(stack);
    const answers = [];
    for (let index = 0; index < 21; index++) answers.push(await login(email, password));
    assert.equal(answers.filter(({ status }) => status === 200).length, 19, 'signing up was the first');
    assertLimited(answers.at(-1));
  });

  test('an address is mailed ten times in a quarter of an hour, and more is dropped without a word', async () => {
    const { email } = await signUp(stack);
    for (let index = 0; index < 12; index++) assert.equal((await stack.call('Account_RequestPasswordReset', { Email: email }, undefined, from())).status, 200);
    await mailTo(stack, email, 10);
    assert.equal((await mailsTo(stack, email)).length, 10);
  });
});

async function setFailures(stack: Stack, email: string, failures: number): Promise<void> {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  await client.query("update identity.login_failure set failures = $2, blocked_until = null where email_key = $1 and network = ''", [email, failures]);
  await client.end();
}
