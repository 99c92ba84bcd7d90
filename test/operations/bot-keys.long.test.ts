import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import {
  assertRefused,
  bodyOf,
  knownTo,
  readList,
  readPage,
  recordIn,
  retryWhileBusy,
} from '../support/answers.ts';
import {
  type Bot,
  type BotKey,
  createBot,
  createKey,
  grantBotInStore,
  inDays,
  type NewKey,
} from '../support/bots.ts';
import { describeBoth, eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp, tenantFor } from '../support/people.ts';
import { countOf, eventsOf, rowsOf } from '../support/store.ts';

const days = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 86_400_000;

describeBoth('bot keys', (topology) => {
  let stack: Stack;
  let id: string;
  let token: string;
  before(async () => {
    stack = await startStack(topology);
    ({ id, token } = await signUp(stack));
  });
  after(() => stack?.stop());

  const newTenant = async (Settings: object = {}) => tenantFor(stack, id, Settings);
  const newBot = async (Settings?: object): Promise<Bot> =>
    createBot(stack, await newTenant(Settings), token);
  const newKey = (bot: Bot, fields?: object) => createKey(stack, bot, token, fields);
  const read = async ({ Tenant, ID }: BotKey) =>
    recordIn(await stack.call('BotKeys_Get', { Tenant, ID }, token), 'Key') as BotKey;
  const expire = ({ Tenant, ID }: BotKey, ExpiresAt: string) =>
    stack.call('BotKeys_SetExpiration', { Tenant, ID, ExpiresAt }, token);
  const rotate = ({ Tenant, ID }: BotKey, credential = token, fields: object = {}) =>
    stack.call('BotKeys_Rotate', { Tenant, ID, ...fields }, credential);
  const rotated = async (key: BotKey, credential?: string, fields?: object) =>
    bodyOf(await rotate(key, credential, fields)) as unknown as NewKey;
  /** A known key without permissions is 403, one that has ended 401. */
  const statusOf = async ({ Secret, Key }: NewKey) =>
    (await stack.call('Groups_List', { Tenant: Key.Tenant }, Secret)).status;
  const keyEvents = async (tenant: string) =>
    (await eventsOf(stack, 'identity', tenant)).filter(({ type }) => type.startsWith('bot_key.'));

  test('BotKeys_Create shows the secret once, and stores a hash of it', async () => {
    const bot = await newBot();
    const sent = {
      Name: 'ci',
      Permissions: ['iam.groups.*', 'app.x.read', 'app.x.read'],
      AllowedIPs: ['192.0.2.0/24', '2001:db8::1'],
      ID: 'x',
      Bot: bot.ID,
    };
    const made = await newKey(bot, sent);
    const { ID, Prefix, Last4, ExpiresAt, CreatedAt, ...rest } = made.Key;
    const expected = {
      Tenant: bot.Tenant,
      Bot: bot.ID,
      Name: 'ci',
      RotatedFrom: '',
      CreatedBy: id,
    };
    assert.deepEqual(rest, {
      ...expected,
      Permissions: ['iam.groups.*', 'app.x.read'],
      AllowedIPs: sent.AllowedIPs,
    });
    assert.match(ID, /^bky_[0-7][0-9a-z]{25}$/);
    assert.match(made.Secret, /^bwkb_[0-9A-Za-z]{49}$/);
    assert.deepEqual([Prefix, Last4], [made.Secret.slice(0, 8), made.Secret.slice(-4)]);
    assert.equal(days(CreatedAt, ExpiresAt), 90);
    assert.deepEqual(await read(made.Key), made.Key);
    assert.deepEqual(
      (await readPage<BotKey>(stack, 'BotKeys_List', { Tenant: bot.Tenant, Bot: bot.ID }, token))
        .Items,
      [made.Key],
    );
    const [event] = await keyEvents(bot.Tenant);
    assert.deepEqual(
      [event?.type, event?.data, event?.previous],
      ['bot_key.created', made.Key, {}],
    );
    const [stored] = await rowsOf<{ size: number }>(
      stack,
      'select length(token_hash) as size from identity.bot_key where id = $1',
      [ID],
    );
    assert.equal(stored?.size, 32);
  });

  test('BotKeys_Create refuses missing and malformed fields, and an expiry too far ahead', async () => {
    const bot = await newBot({ MaxBotKeyDays: 30 });
    const { Tenant, ID: Bot } = bot;
    const create = (fields: object) =>
      stack.call('BotKeys_Create', { Tenant, Bot, Name: 'ci', ...fields }, token);
    assertRefused(await stack.call('BotKeys_Create', {}, token), 400, 'invalid_argument', [
      'Tenant is required',
      'Bot is required',
      'Name is required',
    ]);
    const network = 'must be an IP address or a network such as 192.0.2.0/24';
    const wrong = {
      Bot: 'usr_1',
      Name: 'x'.repeat(129),
      Permissions: ['Nope'],
      AllowedIPs: ['192.0.2.1', '192.0.2.1/24'],
    };
    assertRefused(await create(wrong), 400, 'invalid_argument', [
      'Bot must be an identifier that begins with bot_',
      'Name must be at most 128 characters',
      'Permissions[0] must be a permission such as app.reports.read, "*" only as the last segment',
      `AllowedIPs[1] ${network}`,
    ]);
    assertRefused(await create({ AllowedIPs: ['fe80::1%eth0'] }), 400, 'invalid_argument', [
      `AllowedIPs[0] ${network}`,
    ]);
    assertRefused(await create({ ExpiresAt: inDays(31) }), 400, 'invalid_argument', [
      'ExpiresAt must be at most 30 days ahead',
    ]);
    assertRefused(await create({ ExpiresAt: inDays(-1) }), 400, 'invalid_argument', [
      'ExpiresAt must be in the future',
    ]);
    assertRefused(await create({ ExpiresAt: 'tomorrow' }), 400, 'invalid_argument');
    assert.equal(await countOf(stack, 'identity.bot_key where tenant = $1', [Tenant]), 0);
    const { Key } = await newKey(bot);
    assert.equal(days(Key.CreatedAt, Key.ExpiresAt), 30, 'the tenant allows less than 90 days');
    assertRefused(await expire(Key, inDays(31)), 400, 'invalid_argument', [
      'ExpiresAt must be at most 30 days ahead',
    ]);
    assertRefused(await rotate(Key, token, { ExpiresAt: inDays(31) }), 400, 'invalid_argument', [
      'ExpiresAt must be at most 30 days ahead',
    ]);
    const free = await newBot();
    const answer = await stack.call(
      'BotKeys_Create',
      { Tenant: free.Tenant, Bot: free.ID, Name: 'ci', ExpiresAt: inDays(366) },
      token,
    );
    assertRefused(answer, 400, 'invalid_argument', ['ExpiresAt must be at most 365 days ahead']);
  });

  test('BotKeys_* answer not_found for keys and bots of another tenant, as for missing ones', async () => {
    const [bot, other] = [await newBot(), await newBot()];
    const { Key } = await newKey(other);
    const { Tenant } = bot;
    for (const Bot of [other.ID, createId('bot')]) {
      assertRefused(
        await stack.call('BotKeys_Create', { Tenant, Bot, Name: 'ci' }, token),
        400,
        'not_found',
        ['bot not found'],
      );
      assertRefused(await stack.call('BotKeys_List', { Tenant, Bot }, token), 400, 'not_found', [
        'bot not found',
      ]);
    }
    for (const ID of [Key.ID, createId('bky')]) {
      for (const operation of ['BotKeys_Get', 'BotKeys_Rotate', 'BotKeys_SetExpiration']) {
        const answer = await stack.call(
          operation,
          knownTo(operation, { Tenant, ID, ExpiresAt: inDays(1) }),
          token,
        );
        assertRefused(answer, 400, 'not_found', ['bot key not found']);
      }
    }
    assert.deepEqual(await read(Key), Key);
    const stranger = await signUp(stack);
    const foreign = await createTenant(stack, stranger.token);
    for (const operation of [
      'BotKeys_Create',
      'BotKeys_Get',
      'BotKeys_List',
      'BotKeys_Rotate',
      'BotKeys_SetExpiration',
    ]) {
      const request = {
        Tenant: foreign,
        ID: Key.ID,
        Bot: other.ID,
        Name: 'ci',
        ExpiresAt: inDays(1),
      };
      assertRefused(
        await stack.call(operation, knownTo(operation, request), token),
        403,
        'permission_denied',
        ['permission denied'],
      );
    }
  });

  test('BotKeys_List pages through the keys of one bot, ended ones included', async () => {
    const bot = await newBot();
    const other = await createBot(stack, bot.Tenant, token);
    await newKey(other);
    const keys: BotKey[] = [];
    for (let index = 0; index < 12; index++)
      keys.push((await newKey(bot, { Name: `key ${index}` })).Key);
    bodyOf(await expire(keys[3] as BotKey, inDays(-1)));
    const all = await readList<BotKey>(
      stack,
      'BotKeys_List',
      { Tenant: bot.Tenant, Bot: bot.ID },
      token,
      5,
    );
    assert.deepEqual(all.sizes, [5, 5, 2]);
    assert.deepEqual(
      all.items.map(({ ID }) => ID),
      keys.map(({ ID }) => ID),
    );
    const { NextCursor } = await readPage(
      stack,
      'BotKeys_List',
      { Tenant: bot.Tenant, Bot: bot.ID, Page: { Limit: 1 } },
      token,
    );
    const elsewhere = await stack.call(
      'BotKeys_List',
      { Tenant: bot.Tenant, Bot: other.ID, Page: { Cursor: NextCursor } },
      token,
    );
    assertRefused(elsewhere, 400, 'invalid_argument', ['Page.Cursor is not a cursor of this list']);
  });

  test('BotKeys_SetExpiration moves the expiry; now or the past revokes the key for good', async () => {
    const made = await newKey(await newBot());
    const later = inDays(200);
    const moved = recordIn(await expire(made.Key, later), 'Key') as BotKey;
    assert.deepEqual(moved, { ...made.Key, ExpiresAt: later });
    bodyOf(await expire(made.Key, later));
    assert.equal(await statusOf(made), 403);
    const ended = recordIn(await expire(made.Key, new Date().toISOString()), 'Key') as BotKey;
    assert.ok(ended.RevokedAt && ended.ExpiresAt <= new Date().toISOString());
    assert.equal(await statusOf(made), 401);
    assert.deepEqual(
      recordIn(await expire(made.Key, '1970-01-01T00:00:00Z'), 'Key'),
      await read(made.Key),
      'a second revocation changes nothing',
    );
    assertRefused(await expire(made.Key, inDays(1)), 400, 'failed_precondition', [
      'the key has been revoked',
    ]);
    assertRefused(await rotate(made.Key), 400, 'failed_precondition', ['the key has been revoked']);
    const events = await keyEvents(made.Key.Tenant);
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
    const left = days(new Date().toISOString(), (await read(old.Key)).ExpiresAt);
    assert.ok(left > 0.99 && left <= 1, `${left} days are left`);
    assertRefused(await rotate(old.Key), 400, 'failed_precondition', [
      'the key has been rotated already',
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
    const { Key } = await newKey(await newBot());
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => retryWhileBusy(() => rotate(Key))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the key has been rotated already']);
    assert.equal(await countOf(stack, 'identity.bot_key where tenant = $1', [Key.Tenant]), 2);
    assert.equal(
      (await keyEvents(Key.Tenant)).filter(({ type }) => type === 'bot_key.rotated').length,
      1,
    );
  });

  test('BotKeys_Rotate by a bot works for its own keys only', async () => {
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

  test('BotKeys_Create and BotKeys_Rotate require that the caller holds the key’s permissions', async () => {
    const bot = await newBot();
    const { Tenant, ID: Bot } = bot;
    await grantBotInStore(stack, bot, 'owner');
    const { Key } = await newKey(bot);
    const clerk = await createBot(stack, Tenant, token);
    await grantBotInStore(stack, clerk, 'admin');
    const desk = await newKey(clerk);
    const narrow = await newKey(clerk, { Permissions: ['iam.botkeys.write', 'iam.groups.read'] });
    const make = (secret: string, fields: object) =>
      stack.call('BotKeys_Create', { Tenant, Bot, Name: 'ci', ...fields }, secret);
    const refused = await make(desk.Secret, {});
    assertRefused(refused, 403, 'permission_denied');
    assert.match(
      String(refused.body.Messages),
      /^this would grant \S+, which the caller does not hold$/,
    );
    bodyOf(await make(desk.Secret, { Permissions: ['iam.groups.*'] }));
    assertRefused(
      await make(narrow.Secret, { Permissions: ['iam.groups.*'] }),
      403,
      'permission_denied',
    );
    assertRefused(await make(narrow.Secret, {}), 403, 'permission_denied');
    bodyOf(await make(narrow.Secret, { Permissions: ['iam.groups.read'] }));
    assertRefused(await rotate(desk.Key, narrow.Secret), 403, 'permission_denied');
    bodyOf(await rotate(narrow.Key, narrow.Secret));
    const before = await countOf(stack, 'identity.bot_key where tenant = $1', [Tenant]);
    assertRefused(await rotate(Key, desk.Secret), 403, 'permission_denied', [
      'a bot rotates its own keys only',
    ]);
    assert.equal(await countOf(stack, 'identity.bot_key where tenant = $1', [Tenant]), before);
  });

  test('an expiry is announced twice before it comes and once when it comes', async () => {
    const made = await newKey(await newBot());
    const { ID, Tenant } = made.Key;
    const typesOf = async () => (await keyEvents(Tenant)).map(({ type }) => type).slice(1);
    const stepTo = async (left: string, notice: string, types: string[]) => {
      await rowsOf(
        stack,
        `update identity.bot_key set expires_at = now() + interval '${left}', notice_at = now() - interval '${notice}' where id = $1`,
        [ID],
      );
      await eventually(types.join(), async () => (await typesOf()).length >= types.length);
      assert.deepEqual(await typesOf(), types);
    };
    await stepTo('14 days', '1 second', ['bot_key.expiring']);
    await stepTo('3 days', '1 second', ['bot_key.expiring', 'bot_key.expiring']);
    assert.equal(await statusOf(made), 403);
    await stepTo('-1 seconds', '1 second', [
      'bot_key.expiring',
      'bot_key.expiring',
      'bot_key.expired',
    ]);
    assert.equal(await statusOf(made), 401);
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
    assertRefused(await expire(made.Key, inDays(1)), 400, 'failed_precondition', [
      'the key has expired',
    ]);
    assertRefused(await rotate(made.Key), 400, 'failed_precondition', ['the key has expired']);
  });
});
