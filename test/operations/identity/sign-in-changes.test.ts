import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { newAddress, password } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf, rowsOf } from '../../support/store.ts';

describeOne('users who change while they sign in', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });
  after(() => stack?.stop());

  const login = (email: string, secret = password) =>
    stack.call('Account_Login', { Email: email, Password: secret });

  async function createUser(Password = password): Promise<{ id: string; email: string }> {
    const email = newAddress();
    const { body } = await stack.call(
      'Users_Create',
      { User: { Email: email, Name: 'Before' }, Password },
      stack.platformKey,
    );
    return { id: (body['User'] as { ID: string }).ID, email };
  }

  /** Signs in; the statement changes the user after the check of the password, before the session. */
  async function whileChanging(
    { id, email }: { id: string; email: string },
    change: string,
  ): ReturnType<typeof login> {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query(change, [id]);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      const answer = login(email);
      await eventually('a sign-in that waits for the user', async () => {
        const waiting = await rowsOf(
          stack,
          `select 1 as one from pg_stat_activity
           where $1 = any (pg_blocking_pids(pid)) and query like '%signed_in%'`,
          [rows[0]?.pid],
        );
        return waiting.length > 0;
      });
      await client.query('commit');
      return await answer;
    } finally {
      await client.end();
    }
  }

  const sessionsOf = ({ id }: { id: string }) =>
    countOf(stack, 'identity.session where user_id = $1', [id]);

  test('Account_Login opens no session for a user who is disabled after the check of the password', async () => {
    const user = await createUser();
    const { status, body } = await whileChanging(
      user,
      `update identity.user_account set status = 'disabled', updated_at = now() where id = $1`,
    );
    assert.equal(status, 401, JSON.stringify(body));
    assert.equal(await sessionsOf(user), 0);
    const events = await countOf(
      stack,
      `identity.outbox where type = 'user.signed_in' and audit like '%' || $1 || '%'`,
      [user.id],
    );
    assert.equal(events, 0);
  });

  test('Account_Login opens no session with a password that is replaced after its check', async () => {
    const [user, other] = [await createUser(), await createUser('another password')];
    const { status } = await whileChanging(
      user,
      `update identity.user_account set password_hash = (
         select password_hash from identity.user_account where id = '${other.id}') where id = $1`,
    );
    assert.equal(status, 401);
    assert.equal(await sessionsOf(user), 0);
    assert.equal((await login(user.email, 'another password')).status, 200);
  });

  test('Account_Login of a user who adds a second factor after the check of the password opens no session', async () => {
    const user = await createUser();
    const { status, body } = await whileChanging(
      user,
      `with changed as (update identity.user_account set updated_at = now() + interval '1 ms' where id = $1 returning id)
       insert into identity.totp_factor (tenant, id, user_id, name, dek_id, secret_enc, last_step, confirmed_at, created_at)
       select '', 'fac_' || id, id, 'Phone', '', '', 0, now(), now() from changed`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body['Token'], body['Factors']], ['', ['totp']]);
    assert.equal(await sessionsOf(user), 0);
  });

  test('Account_Login of a user who is renamed meanwhile opens a session, and its event has the new name', async () => {
    const user = await createUser();
    const { status, body } = await whileChanging(
      user,
      `update identity.user_account set name = 'After', updated_at = now() + interval '1 ms' where id = $1`,
    );
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((body['User'] as { Name: string }).Name, 'After');
    assert.equal(await sessionsOf(user), 1);
    const [row] = await rowsOf<{ event: string }>(
      stack,
      `select event from identity.outbox where type = 'user.signed_in' and audit like '%' || $1 || '%'`,
      [user.id],
    );
    assert.equal((JSON.parse(row?.event ?? '') as { data: { Name: string } }).data.Name, 'After');
  });

  test('Account_Login stores the session, the network and the event, and clears the failures of the network', async () => {
    const user = await createUser();
    assert.equal((await login(user.email, 'a wrong password')).status, 401);
    const failures = () =>
      countOf(stack, 'identity.login_failure where email_key = $1', [user.email]);
    assert.equal(await failures(), 1);
    const { body } = await login(user.email);
    assert.equal(await failures(), 0);
    assert.equal(
      await countOf(stack, 'identity.known_network where email_key = $1', [user.email]),
      1,
    );
    const stored = await rowsOf<{ lastLogin: Date; createdAt: Date; idle: number }>(
      stack,
      `select u.last_login_at as "lastLogin", s.created_at as "createdAt", s.idle_minutes as idle
       from identity.session s join identity.user_account u on u.id = s.user_id where u.id = $1`,
      [user.id],
    );
    assert.equal(stored.length, 1);
    assert.deepEqual(stored[0]?.lastLogin, stored[0]?.createdAt);
    assert.equal(stored[0]?.idle, 10_080);
    assert.equal(
      (body['User'] as { LastLoginAt: string }).LastLoginAt,
      stored[0]?.lastLogin.toISOString(),
    );
  });
});
