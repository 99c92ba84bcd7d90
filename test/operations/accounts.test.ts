import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tokenHash } from '@bailiwick/values';
import pg from 'pg';
import { assertRefused, bodyOf, retryWhileBusy } from '../support/answers.ts';
import { describeAll, eventually, type Stack, startStack } from '../support/harness.ts';
import {
  createTenant,
  mailsTo,
  mailTo,
  newAddress,
  password,
  register,
  signUp,
  tokenIn,
} from '../support/people.ts';
import { countOf, rowsOf, textBelow } from '../support/store.ts';
import { type Collector, startCollector } from '../telemetry/collector.ts';
import { scrapeAll } from '../telemetry/scrape.ts';

/** The address with fullwidth letters and digits before the `@`. */
const inFullwidth = (email: string): string =>
  email.replace(/[a-z0-9](?=.*@)/g, (letter) =>
    String.fromCodePoint(letter.charCodeAt(0) + 0xfee0),
  );

describeAll('accounts', (topology) => {
  let stack: Stack;
  let collector: Collector;
  before(async () => {
    collector = await startCollector();
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off', ...collector.environment });
  });
  after(async () => {
    await stack?.stop();
    await collector.stop();
  });

  const login = (email: string, secret = password) =>
    stack.call('Account_Login', { Email: email, Password: secret });

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
    assert.equal((await login(email, 'another password')).status, 401);
    assert.equal((await login(email)).status, 200);
  });

  test('Account_Register of an address in fullwidth letters is for the account of the plain spelling', async () => {
    const { id, email } = await signUp(stack, newAddress('wide'));
    const fullwidth = inFullwidth(email);
    await register(stack, fullwidth);
    assert.match((await mailTo(stack, email, 2)).Subject, /already/i);
    assert.equal(await countOf(stack, 'identity.registration where email = $1', [fullwidth]), 0);
    const { User } = bodyOf(await login(fullwidth)) as unknown as {
      User: { ID: string; Email: string };
    };
    assert.deepEqual([User.ID, User.Email], [id, email]);
    const taken = await stack.call(
      'Users_Create',
      { User: { Email: fullwidth } },
      stack.platformKey,
    );
    assertRefused(taken, 400, 'already_exists');
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
    const idOf = async (email: string) => (bodyOf(await login(email))['User'] as { ID: string }).ID;
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
    assert.equal((await login(email, 'planted by a stranger')).status, 401);
    assert.equal((await login(email)).status, 401);
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
    assert.equal((await login(email, 'mine and only mine')).status, 200);
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
    const { status, body } = await login(email);
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
    assert.equal((await login(email)).status, 200);
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

  test('Account_ResetPassword sets the password, ends every session and sends a notice', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(email)).body['Token']);
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
    assert.equal((await login(email)).status, 401);
    assert.equal((await login(email, 'a brand new one')).status, 200);
    await mailTo(stack, email, 4);
  });

  test('Account_Verify and Account_ResetPassword, called 200 times at once with one token, succeed once', async () => {
    const email = newAddress();
    await register(stack, email);
    const verify = tokenIn(await mailTo(stack, email));
    const verified = await Promise.all(
      Array.from({ length: 200 }, () =>
        retryWhileBusy(() => stack.call('Account_Verify', { Token: verify })),
      ),
    );
    assert.equal(verified.filter(({ status }) => status === 200).length, 1);
    assert.equal(verified.filter(({ status }) => status === 400).length, 199);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    const resets = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        stack.call('Account_ResetPassword', { Token: reset, Password: `password number ${index}` }),
      ),
    );
    assert.equal(resets.filter(({ status }) => status === 200).length, 1);
  });

  test('Account_Login answers the same for a wrong password, an unknown address and an invalid address', async () => {
    const { email } = await signUp(stack);
    const answers = await Promise.all([
      login(email, 'wrong password'),
      login(newAddress(), password),
      login('not an address', password),
    ]);
    for (const { status, body } of answers) {
      assert.equal(status, 401);
      assert.deepEqual(body.Messages, ['email or password is wrong']);
    }
  });

  test('Account_Logout ends this session at once, and no other session', async () => {
    const { email, token } = await signUp(stack);
    const other = String((await login(email)).body['Token']);
    assert.deepEqual((await stack.call('Account_Logout', {}, token)).body, {});
    const gone = await stack.call('Account_Get', {}, token);
    assert.equal(gone.status, 401);
    assert.equal(gone.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
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
    const { email, token } = await signUp(stack);
    const idle = String((await login(email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    await query(
      stack.databaseUrl,
      `update identity.registration set expires_at = now() - interval '1 second' where email = '${pending}'`,
    );
    await query(
      stack.databaseUrl,
      `update identity.reset_token set expires_at = now() - interval '1 second'`,
    );
    const [first, second] = [tokenHash(token), tokenHash(idle)].map((hash) =>
      Buffer.from(hash).toString('hex'),
    );
    await query(
      stack.databaseUrl,
      `update identity.session set expires_at = now() - interval '1 second' where token_hash = '\\x${first}'`,
    );
    await query(
      stack.databaseUrl,
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
      query(
        stack.databaseUrl,
        `update identity.user_account set email_key = '${address}' where id = '${id}'`,
      );
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
    const token = String((await login(email)).body['Token']);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = { Token: tokenIn(await mailTo(stack, email, 2)), Password: 'a brand new one' };
    await query(
      stack.databaseUrl,
      `update identity.user_account set status = 'disabled' where id = '${id}'`,
    );
    assert.equal((await stack.call('Account_Get', {}, token)).status, 401);
    assert.equal((await login(email)).status, 401);
    assert.equal(
      (await stack.call('Account_ResetPassword', reset)).body.Code,
      'failed_precondition',
    );
  });

  test('tokens and passwords are not readable in the database, the logs, the broker or the telemetry', async () => {
    const { email, token } = await signUp(stack);
    await stack.call('Account_RequestPasswordReset', { Email: email });
    const reset = tokenIn(await mailTo(stack, email, 2));
    const created = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: await createTenant(stack, token), Name: 'a', URL: stack.inboxUrl } },
      token,
    );
    const places = {
      database: await dumpOf(stack.databaseUrl),
      logs: textBelow(path.join(stack.folder, 'logs')),
      broker: textBelow(path.join(stack.folder, 'nats')),
      spans: await eventually(
        'the spans',
        async () => collector.text().includes('Webhooks_CreateEndpoint') && collector.text(),
      ),
      metrics: await scrapeAll(stack),
    };
    assert.ok(
      places.database.includes(email) && places.broker.includes(email),
      'the places are searched',
    );
    for (const text of [places.logs, places.spans, places.metrics])
      assert.ok(text.includes('Account_Login') && !text.includes(email));
    for (const [place, text] of Object.entries(places)) {
      for (const secret of [
        token,
        reset,
        password,
        String(created.body['Secret']),
        stack.platformKey,
        stack.workerToken,
      ]) {
        assert.ok(
          !text.includes(secret) && !text.includes(secret.slice(6, 40)),
          `${secret.slice(0, 6)} in the ${place}`,
        );
      }
    }
  });
});

async function query<Row extends pg.QueryResultRow>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** Every row of every table as text. */
async function dumpOf(url: string): Promise<string> {
  const schemas = `schemaname in ('identity', 'access', 'sso', 'notifications')`;
  const tables = await query<{ name: string }>(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where ${schemas}`,
  );
  const rows = [];
  for (const { name } of tables)
    rows.push(...(await query<{ text: string }>(url, `select t::text as text from ${name} t`)));
  return rows.map(({ text }) => text).join('\n');
}
