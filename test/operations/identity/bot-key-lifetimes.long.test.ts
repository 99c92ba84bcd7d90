import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { forgetRights } from '@bailiwick/deploy/admin.ts';
import {
  assertRefused,
  bodyOf,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../../support/answers.ts';
import { type BotKey, createBot, grantBotInStore, inDays } from '../../support/bots.ts';
import { describeBoth, eventually } from '../../support/harness.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type BotKeys, days, startBotKeys } from './bot-key-calls.ts';

describeBoth('lifetimes of bot keys', (topology) => {
  let suite: BotKeys;
  before(async () => {
    suite = await startBotKeys(topology);
  });
  after(() => suite?.stop());

  test('BotKeys_SetExpiration moves the expiry; now or the past revokes the key for good', async () => {
    const { stack, token, newBot, newKey, read, expire, rotate, statusOf, keyEvents } = suite;
    const original = await newKey(await newBot());
    const later = inDays(200);
    const moved = recordIn(await expire(original.Key, later), 'Key') as BotKey;
    assert.deepEqual(moved, { ...original.Key, ExpiresAt: later });
    bodyOf(await expire(original.Key, later));
    assert.equal(await statusOf(original), 403);
    const ended = recordIn(await expire(original.Key, new Date().toISOString()), 'Key') as BotKey;
    assert.ok(ended.RevokedAt && ended.ExpiresAt <= new Date().toISOString());
    assert.equal(await statusOf(original), 401);
    assert.deepEqual(
      recordIn(await expire(original.Key, '1970-01-01T00:00:00Z'), 'Key'),
      await read(original.Key),
      'a second revocation changes nothing',
    );
    assertRefused(await expire(original.Key, inDays(1)), 400, 'failed_precondition', [
      'the key has been revoked',
    ]);
    assertRefused(await rotate(original.Key), 400, 'failed_precondition', [
      'the key has been revoked',
    ]);
    const events = await keyEvents(original.Key.Tenant);
    assert.deepEqual(
      events.map(({ type, previous }) => [type, Object.keys(previous).sort()]),
      [
        ['bot_key.created', []],
        ['bot_key.expiration_changed', ['ExpiresAt']],
        ['bot_key.expiration_changed', ['ExpiresAt', 'RevokedAt']],
      ],
    );
    const revoked = await newKey(await newBot());
    assert.equal(
      (recordIn(await expire(revoked.Key, '0001-01-01T00:00:00Z'), 'Key') as BotKey).ExpiresAt,
      revoked.Key.CreatedAt,
    );
    assertRefused(await stack.call('BotKeys_SetExpiration', {}, token), 400, 'invalid_argument', [
      'Tenant is required',
      'ID is required',
      'ExpiresAt is required',
    ]);
  });

  test('BotKeys_Rotate makes one successor like the key, and lets the old key live 24 more hours', async () => {
    const { token, newBot, newKey, read, expire, rotate, rotated, statusOf, keyEvents } = suite;
    const old = await newKey(await newBot(), {
      Permissions: ['app.x.read'],
      AllowedIPs: ['127.0.0.0/8'],
    });
    const next = await rotated(old.Key, token, { ExpiresAt: inDays(10) });
    const own = ['ID', 'Prefix', 'Last4', 'ExpiresAt', 'CreatedAt', 'RotatedFrom'];
    const like = (key: BotKey) =>
      Object.fromEntries(Object.entries(key).filter(([name]) => !own.includes(name)));
    assert.deepEqual(like(next.Key), like(old.Key));
    assert.equal(next.Key.RotatedFrom, old.Key.ID);
    assert.notEqual(next.Secret, old.Secret);
    assert.deepEqual([await statusOf(old), await statusOf(next)], [403, 403], 'both keys work');
    const daysLeft = days(new Date().toISOString(), (await read(old.Key)).ExpiresAt);
    assert.ok(daysLeft > 0.99 && daysLeft <= 1, `${daysLeft} days are left`);
    assertRefused(await rotate(old.Key), 400, 'failed_precondition', [
      'the key has already been rotated',
    ]);
    assertRefused(await expire(old.Key, inDays(2)), 400, 'failed_precondition', [
      'the key has been rotated: ExpiresAt can only be earlier',
    ]);
    bodyOf(await expire(old.Key, inDays(0.5)));
    const events = await keyEvents(old.Key.Tenant);
    assert.deepEqual(events.map(({ type }) => type).slice(0, 2), [
      'bot_key.created',
      'bot_key.rotated',
    ]);
    assert.deepEqual(events[1]?.data, next.Key);
  });

  test('BotKeys_Rotate called 200 times at once for one key makes one successor', async () => {
    const { stack, newBot, newKey, rotate, keyEvents } = suite;
    const { Key } = await newKey(await newBot());
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => retryWhileBusy(() => rotate(Key))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the key has already been rotated']);
    assert.equal(await countOf(stack, 'identity.bot_key where tenant = $1', [Key.Tenant]), 2);
    assert.equal(
      (await keyEvents(Key.Tenant)).filter(({ type }) => type === 'bot_key.rotated').length,
      1,
    );
  });

  test('BotKeys_Rotate by a bot works for its own keys only', async () => {
    const { stack, token, newBot, newKey, rotate, rotated } = suite;
    const [bot, other] = [await newBot(), await newBot()];
    const neighbour = await createBot(stack, bot.Tenant, token);
    await Promise.all([bot, neighbour].map((each) => grantBotInStore(stack, each, 'admin')));
    const [own, spare, foreign, elsewhere] = [
      await newKey(bot),
      await newKey(bot),
      await newKey(neighbour),
      await newKey(other),
    ];
    assertRefused(await rotate(foreign.Key, own.Secret), 403, 'permission_denied', [
      'a bot rotates its own keys only',
    ]);
    assertRefused(await rotate(elsewhere.Key, own.Secret), 403, 'permission_denied');
    assert.equal((await rotated(spare.Key, own.Secret)).Key.CreatedBy, bot.ID);
    const next = await rotated(own.Key, own.Secret);
    assert.equal((await rotated(next.Key, next.Secret)).Key.RotatedFrom, next.Key.ID);
  });

  test('an expiry is announced twice before it comes and once when it comes', async () => {
    const { stack, token, newBot, newKey, expire, rotate, statusOf, keyEvents } = suite;
    const key = await newKey(await newBot());
    const { ID, Tenant } = key.Key;
    const typesOf = async () => (await keyEvents(Tenant)).map(({ type }) => type).slice(1);
    const stepTo = async (timeLeft: string, notice: string, types: string[]) => {
      await rowsOf(
        stack,
        `update identity.bot_key set expires_at = now() + interval '${timeLeft}', notice_at = now() - interval '${notice}' where id = $1`,
        [ID],
      );
      await forgetRights({ DATABASE_URL: stack.databaseUrl });
      await eventually(types.join(), async () => (await typesOf()).length >= types.length);
      assert.deepEqual(await typesOf(), types);
    };
    await stepTo('14 days', '1 second', ['bot_key.expiring']);
    await stepTo('3 days', '1 second', ['bot_key.expiring', 'bot_key.expiring']);
    assert.equal(await statusOf(key), 403);
    await stepTo('-1 seconds', '1 second', [
      'bot_key.expiring',
      'bot_key.expiring',
      'bot_key.expired',
    ]);
    assert.equal(await statusOf(key), 401);
    const [row] = await rowsOf(stack, 'select notice_at from identity.bot_key where id = $1', [ID]);
    assert.deepEqual(row, { notice_at: null });
    const last = (await keyEvents(Tenant)).at(-1);
    assert.deepEqual(last?.actor, { type: 'system', id: 'identity' });
    assert.equal(last?.data['ID'], ID);
    const entry = await eventually('the audit entry', async () => {
      const page = await readPage<{
        Action: string;
        ActorType: string;
        Targets: Array<{ ID: string }>;
      }>(stack, 'Audit_List', { Tenant }, token);
      return page.Items.find(({ Action }) => Action === 'bot_key.expired');
    });
    assert.deepEqual([entry.ActorType, entry.Targets[0]?.ID], ['system', ID]);
    assertRefused(await expire(key.Key, inDays(1)), 400, 'failed_precondition', [
      'the key has expired',
    ]);
    assertRefused(await rotate(key.Key), 400, 'failed_precondition', ['the key has expired']);
  });
});
