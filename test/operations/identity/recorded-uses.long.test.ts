import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { durationOf } from '@bailiwick/contract';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { asService, createCallerSigner, createHttpTransport } from '@bailiwick/wire';
import { createClient } from '@connectrpc/connect';
import { bodyOf } from '../../support/answers.ts';
import { eventually } from '../../support/harness.ts';
import { password } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { type BotCalls, startBotCalls } from './bot-key-calls.ts';

// A gateway serves a credential from its cache and tells identity of the uses. A case waits for
// that, which takes ten seconds.

const minuteMs = 60_000;

describe('uses of credentials that a gateway has cached', () => {
  let suite: BotCalls;
  before(async () => {
    suite = await startBotCalls('five processes');
  });
  after(() => suite?.stop());

  /** identity's credentials, called as the gateway. */
  function gatewayCalls() {
    const { ports, secrets } = suite.stack.wiring;
    const key = readFileSync(secrets.callerKeyFile('gateway'), 'utf8');
    const transport = createHttpTransport({
      url: `http://${loopback}:${ports.identity.rpc}`,
      audience: 'identity',
      sign: createCallerSigner('gateway', key),
    });
    const client = createClient(Credentials, asService(transport, 'gateway'));
    return {
      close: () => transport.close(),
      record: (...uses: Array<{ id: string; tenant?: string; agoMs: number }>) =>
        client.recordUses({
          uses: uses.map(({ id, tenant = '', agoMs }) => {
            return { credentialId: id, tenant, ago: durationOf(agoMs) };
          }),
        }),
    };
  }

  async function signIn(): Promise<{ id: string; token: string }> {
    const { Token, Session } = bodyOf(
      await suite.stack.call('Account_Login', { Email: suite.owner.email, Password: password }),
    );
    return { id: (Session as { ID: string }).ID, token: String(Token) };
  }

  /** Sets when a session was used last, and its idle time. */
  const setSession = (id: string, secondsAgo: number, idleMinutes: number) =>
    rowsOf(
      suite.stack,
      "update identity.session set last_seen_at = now() - $2 * interval '1 second', idle_minutes = $3 where id = $1",
      [id, secondsAgo, idleMinutes],
    );
  /** How many seconds ago a session, a key or a bot was used last; null = never. */
  async function secondsSince(table: string, column: string, id: string): Promise<number | null> {
    const [row] = await rowsOf<{ seconds: number | null }>(
      suite.stack,
      `select extract(epoch from now() - ${column})::float8 as seconds from identity.${table} where id = $1`,
      [id],
    );
    assert.ok(row);
    return row.seconds;
  }
  const sessionSeconds = async (id: string) =>
    Number(await secondsSince('session', 'last_seen_at', id));

  test('a session that is served from the cache stays in use', async () => {
    const { id, token } = await signIn();
    await setSession(id, 0, 1);
    const began = Date.now();
    await eventually('a recorded use', async () => {
      bodyOf(await suite.stack.call('Account_Get', {}, token));
      return (Date.now() - began) / 1000 - (await sessionSeconds(id)) > 3;
    });
  });

  test('Credentials.RecordUses moves the last use of a live session forward, and revives none', async () => {
    const { record, close } = gatewayCalls();
    const [used, older, idle] = [await signIn(), await signIn(), await signIn()];
    await setSession(used.id, 300, 60);
    await setSession(older.id, 10, 60);
    await setSession(idle.id, 300, 4);
    await record(
      { id: used.id, agoMs: minuteMs },
      { id: older.id, agoMs: minuteMs },
      { id: idle.id, agoMs: 0 },
      { id: 'ses_unknown', agoMs: 0 },
    );
    const seconds = await Promise.all([used, older, idle].map(({ id }) => sessionSeconds(id)));
    const tens = seconds.map((one) => Math.floor(one / 10) * 10);
    assert.deepEqual(tens, [60, 10, 300]);
    // Before its idle end: the report is late, and the use was in time.
    await record({ id: idle.id, agoMs: 2 * minuteMs });
    assert.ok((await sessionSeconds(idle.id)) < 300);
    await close();
  });

  test('Credentials.RecordUses notes the last use of a key and its bot, in their tenant only', async () => {
    const { record, close } = gatewayCalls();
    const { botWith, expire, Tenant } = suite;
    const first = await botWith('member');
    const revoked = await botWith('member');
    bodyOf(await expire(revoked.Key, new Date().toISOString()));
    await record(
      { id: first.Key.ID, tenant: 'tnt_other', agoMs: 0 },
      { id: first.Key.ID, agoMs: 0 },
      { id: revoked.Key.ID, tenant: Tenant, agoMs: 0 },
    );
    for (const { Key, bot } of [first, revoked])
      assert.deepEqual(
        [
          await secondsSince('bot_key', 'last_used_at', Key.ID),
          await secondsSince('bot', 'last_used_at', bot.ID),
        ],
        [null, null],
      );
    await record({ id: first.Key.ID, tenant: Tenant, agoMs: minuteMs });
    for (const seconds of [
      await secondsSince('bot_key', 'last_used_at', first.Key.ID),
      await secondsSince('bot', 'last_used_at', first.bot.ID),
    ])
      assert.ok(seconds !== null && seconds >= 60 && seconds < 70, `${seconds} s`);
    await close();
  });

  test('200 reports at once, in any order, record every use', async () => {
    const { record, close } = gatewayCalls();
    const sessions = await Promise.all(Array.from({ length: 8 }, signIn));
    for (const { id } of sessions) await setSession(id, 300, 60);
    const reports = Array.from({ length: 200 }, (_, turn) =>
      record(
        ...sessions.map((_session, place) => {
          const { id } = sessions[(place * 3 + turn) % sessions.length] ?? { id: '' };
          return { id, agoMs: 0 };
        }),
      ),
    );
    await Promise.all(reports);
    for (const { id } of sessions) assert.ok((await sessionSeconds(id)) < 60);
    await close();
  });
});
