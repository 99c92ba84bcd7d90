import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { type Answer, describeOne, type Stack, startStack } from '../../support/harness.ts';
import {
  createTenant,
  mailsTo,
  mailTo,
  newAddress,
  password,
  signUp,
  tenantFor,
  tokenIn,
} from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';

describeOne('limits', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_TRUSTED_PROXIES: '127.0.0.0/8' });
  });
  after(() => stack?.stop());

  let address = 0;
  const from = (ip = `198.51.100.${++address}`) => ({ 'x-forwarded-for': ip });
  const register = (ip: string) => stack.call('Account_Register', '{}', undefined, from(ip));
  const login = (email: string, secret: string, ip?: string) =>
    stack.call('Account_Login', { Email: email, Password: secret }, undefined, from(ip));

  function assertLimited(answer: Answer | undefined): void {
    assert.equal(answer?.status, 429, JSON.stringify(answer?.body));
    assert.equal(answer.body.Code, 'resource_exhausted');
    assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  }

  test('an address may register 60 times a minute, counted atomically', async () => {
    const ip = '203.0.113.7';
    const answers = await Promise.all(Array.from({ length: 80 }, () => register(ip)));
    assert.equal(answers.filter(({ status }) => status === 400).length, 60);
    assertLimited(answers.find(({ status }) => status === 429));
    assert.equal((await register('203.0.113.8')).status, 400);
  });

  test('RateLimit headers show the calls left for the caller’s address, even on a 429, and disclose no account', async () => {
    const ip = '203.0.113.77';
    const headers: string[] = [];
    for (let index = 0; index < 61; index++) {
      const answer = await register(ip);
      assert.equal(answer.headers.get('ratelimit-policy'), '"register";q=60;w=60');
      const [, remaining, reset] =
        /^"register";r=(\d+);t=(\d+)$/.exec(answer.headers.get('ratelimit') ?? '') ?? [];
      assert.ok(Number(reset) >= 1 && Number(reset) <= 60);
      headers.push(`${answer.status} ${remaining}`);
      if (answer.status === 429) assert.equal(answer.headers.get('retry-after'), reset);
    }
    assert.deepEqual(headers, [
      ...Array.from({ length: 60 }, (_, index) => `400 ${59 - index}`),
      '429 0',
    ]);
    // The window of a first call is never longer than the policy says.
    for (let index = 0; index < 12; index++) {
      const first = await register(`203.0.114.${index}`);
      assert.match(first.headers.get('ratelimit') ?? '', /;t=60$/);
    }
    // Attempts of others on an account are not visible: only the caller's address counts, for a
    // known, unknown or locked account.
    const { email } = await signUp(stack);
    for (let guess = 0; guess < 8; guess++) await login(email, 'wrong password', '203.0.113.78');
    const answers = [
      await login(email, 'wrong password', '203.0.113.79'),
      await login(newAddress(), 'wrong password', '203.0.113.80'),
    ];
    for (const { headers } of answers) {
      assert.match(headers.get('ratelimit') ?? '', /^"login";r=119;t=\d+$/);
      assert.equal(headers.get('ratelimit-policy'), '"login";q=120;w=60');
    }
    const unlimited = await stack.call('Groups_List', {}, stack.platformKey);
    assert.deepEqual(
      [unlimited.headers.get('ratelimit'), unlimited.headers.get('ratelimit-policy')],
      [null, null],
    );
  });

  test('the limit is checked before the body is read, and an IPv6 network counts as one address', async () => {
    const answers = [];
    for (let index = 0; index < 61; index++)
      answers.push(
        await stack.call(
          'Account_Register',
          'no json',
          undefined,
          from(`2001:db8:1:2::${index.toString(16)}`),
        ),
      );
    assertLimited(answers.at(-1));
    assert.equal(
      (await stack.call('Account_Register', 'no json', undefined, from('2001:db8:1:3::1'))).status,
      400,
    );
  });

  test('an address may read the branding of tenants 300 times a minute, logos included', async () => {
    const headers = from('203.0.113.91');
    const read = async (path: string) => (await fetch(`${stack.url}/${path}`, { headers })).status;
    const logo = `brand/${createId('tnt')}/logo`;
    assert.equal(await read(logo), 404);
    const key = 'address branding 203.0.113.91';
    await rowsOf(stack, 'update access.rate_window set count = count + 298 where key = $1', [key]);
    const last = await stack.call('Tenants_GetBranding', { Tenant: 'any' }, undefined, headers);
    assert.equal(last.status, 200);
    assert.deepEqual([await read(logo), await read('login?tenant=any')], [429, 200]);
  });

  test('a refused invitation does not count against the invited address’s mails', async () => {
    const owner = await signUp(stack);
    const [open, closed] = [
      await tenantFor(stack, owner.id),
      await tenantFor(stack, owner.id, { InviteDomains: ['x.example'] }),
    ];
    const invited = newAddress('invited');
    const invite = (Tenant: string) =>
      stack.call('TenantInvitations_Create', { Tenant, Email: invited }, owner.token);
    for (let count = 0; count < 12; count++) assert.equal((await invite(closed)).status, 400);
    assert.equal((await invite(open)).status, 200);
    assert.equal((await mailTo(stack, invited)).To, invited);
    // Many at once: no call holds a connection while it waits for another one.
    const many = await Promise.all(
      Array.from({ length: 24 }, () =>
        stack.call(
          'TenantInvitations_Create',
          { Tenant: open, Email: newAddress('many') },
          owner.token,
        ),
      ),
    );
    assert.deepEqual([...new Set(many.map(({ status }) => status))], [200]);
  });

  test('a tenant may invite 500 addresses an hour, and that does not limit other tenants', async () => {
    const owner = await signUp(stack);
    const [busy, other] = [await tenantFor(stack, owner.id), await tenantFor(stack, owner.id)];
    const invite = (Tenant: string) =>
      stack.call('TenantInvitations_Create', { Tenant, Email: newAddress('invited') }, owner.token);
    assert.equal((await invite(busy)).status, 200);
    const counted = await rowsOf(
      stack,
      `update access.rate_window set count = 499 where key = $1 and count = 1 returning ends_at`,
      [`invitations ${busy}`],
    );
    assert.equal(counted.length, 1);
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite(busy)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assertLimited(answers.find(({ status }) => status === 429));
    assert.equal((await invite(other)).status, 200);
  });

  test('X-Forwarded-For is trusted up to the first address that is not a proxy', async () => {
    for (let index = 0; index < 60; index++) await register(`192.0.2.${index}, 203.0.113.9`);
    assertLimited(await register('192.0.2.200, 203.0.113.9'));
    assertLimited(await register('203.0.113.9, 127.0.0.9'));
  });

  test('an account is locked for a while after five wrong passwords, even for 200 guesses at once', async () => {
    const { email } = await signUp(stack);
    const answers = await Promise.all(
      Array.from({ length: 19 }, (_, index) => login(email, `guess number ${index}`)),
    );
    assert.equal(answers.filter(({ status }) => status === 401).length, 5);
    assertLimited(answers.find(({ status }) => status === 429));
    // An unknown address behaves the same.
    const unknown = newAddress('unknown');
    const others = await Promise.all(Array.from({ length: 19 }, () => login(unknown, 'guess')));
    assert.equal(others.filter(({ status }) => status === 401).length, 5);
  });

  test('guesses from other networks do not lock the user out of a known network, and a reset ends every lock', async () => {
    const home = '198.51.100.250';
    const { email } = await signUp(stack);
    assert.equal((await login(email, password, home)).status, 200);
    for (let guess = 0; guess < 6; guess++) await login(email, 'a wrong guess', '192.0.2.66');
    assertLimited(await login(email, password, '192.0.2.66'));
    assert.equal((await login(email, password, home)).status, 200);
    await setFailures(stack, email, 100);
    assertLimited(await login(email, password, '192.0.2.67'));
    await stack.call('Account_RequestPasswordReset', { Email: email }, undefined, from());
    await stack.call(
      'Account_ResetPassword',
      { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'opened again at last' },
      undefined,
      from(),
    );
    assert.equal((await login(email, 'opened again at last', '192.0.2.67')).status, 200);
  });

  test('an account may sign in 20 times a minute', async () => {
    const { email } = await signUp(stack);
    assert.equal((await login(email, password)).status, 200, 'the network is known now');
    const answers = [];
    for (let index = 0; index < 21; index++) answers.push(await login(email, password));
    assert.equal(answers.filter(({ status }) => status === 200).length, 20);
    assertLimited(answers.at(-1));
  });

  test('repeated attempts from other networks do not use up the sign-ins of a known network', async () => {
    const home = '198.51.100.249';
    const { email } = await signUp(stack);
    assert.equal((await login(email, password, home)).status, 200);
    for (let guess = 0; guess < 25; guess++)
      await login(email, 'a wrong guess', `192.0.2.${100 + guess}`);
    assertLimited(await login(email, password, '192.0.2.99'));
    assert.equal((await login(email, password, home)).status, 200);
  });

  test('Account_ResetPassword allows sign-in from the network of the reset while guesses from other networks continue', async () => {
    const [email, home] = [newAddress(), '198.51.100.248'];
    const answer = await stack.call(
      'Users_Create',
      { User: { Email: email }, Password: password },
      stack.platformKey,
    );
    assert.equal(answer.status, 200);
    let guesses = 0;
    const guess = () => login(email, 'a wrong guess', `192.0.${guesses++}.1`);
    for (let count = 0; count < 25; count++) await guess();
    await stack.call('Account_RequestPasswordReset', { Email: email }, undefined, from());
    const Token = tokenIn(await mailTo(stack, email));
    const secret = 'opened from a new network';
    assert.equal(
      (
        await stack.call(
          'Account_ResetPassword',
          { Token, Password: secret },
          undefined,
          from(home),
        )
      ).status,
      200,
    );
    const statuses = new Map<number, number>();
    for (let count = 0; count < 30; count++) {
      const { status } = await guess();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.ok((statuses.get(401) ?? 0) <= 5, 'a reset gives the guesser no more guesses');
    assertLimited(await login(email, secret, '203.0.113.200'));
    assert.equal((await login(email, secret, home)).status, 200);
  });

  test('Account_ChangeEmail mails at most as many addresses a minute as an account may sign in', async () => {
    const { email, token } = await signUp(stack);
    for (const hasPassword of [true, false]) {
      if (!hasPassword) await forgetPassword(stack, email);
      const ask = () =>
        stack.call(
          'Account_ChangeEmail',
          { Email: newAddress('stranger'), Password: password },
          token,
          from(`203.0.113.${hasPassword ? 1 : 2}`),
        );
      const answers = await Promise.all(Array.from({ length: 25 }, ask));
      assert.ok(answers.filter(({ status }) => status === 200).length <= 20);
      assertLimited(answers.find(({ status }) => status === 429));
    }
  });

  test('TenantInvitations_Decline is counted by address, and an address gets four invitation mails of a tenant in 15 minutes', async () => {
    const { token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const email = newAddress('guest');
    const tokens = [];
    for (let index = 0; index < 12; index++) {
      const { status, body } = await stack.call(
        'TenantInvitations_Create',
        { Tenant, Email: email },
        token,
      );
      assert.equal(status, 200);
      tokens.push(String(body['Token']));
    }
    await mailTo(stack, email, 4);
    assert.equal((await mailsTo(stack, email)).length, 4);
    const ip = '203.0.113.11';
    const answers = await Promise.all(
      Array.from({ length: 140 }, () =>
        stack.call('TenantInvitations_Decline', '{}', undefined, from(ip)),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 400).length, 120);
    assertLimited(answers.find(({ status }) => status === 429));
    // The answer has the token that was not mailed, and the token works from another address.
    assert.equal(
      (await stack.call('TenantInvitations_Decline', { Token: tokens.at(-1) }, undefined, from()))
        .status,
      200,
    );
  });
});

const setFailures = (stack: Stack, email: string, failures: number) =>
  rowsOf(
    stack,
    "update identity.login_failure set failures = $2, blocked_until = null where email_key = $1 and network = ''",
    [email, failures],
  );

/** As if the user signed in by another method. Clears all counters, too. */
async function forgetPassword(stack: Stack, email: string): Promise<void> {
  await rowsOf(
    stack,
    'update identity.user_account set password_hash = null where email_key = $1',
    [email],
  );
  await rowsOf(stack, 'delete from identity.rate_window');
}
