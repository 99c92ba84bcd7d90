import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, knownTo, readList, readPage } from '../../support/answers.ts';
import { type BotKey, createBot, grantBotInStore, inDays } from '../../support/bots.ts';
import { describeBoth } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type BotKeys, days, startBotKeys } from './bot-key-calls.ts';

describeBoth('bot keys', (topology) => {
  let suite: BotKeys;
  before(async () => {
    suite = await startBotKeys(topology);
  });
  after(() => suite?.stop());

  test('BotKeys_Create shows the secret once, and stores a hash of it', async () => {
    const { stack, id, token, newBot, newKey, read, keyEvents } = suite;
    const bot = await newBot();
    const input = {
      Name: 'ci',
      Permissions: ['iam.groups.*', 'app.x.read', 'app.x.read'],
      AllowedIPs: ['192.0.2.0/24', '2001:db8::1'],
      ID: 'x',
      Bot: bot.ID,
    };
    const created = await newKey(bot, input);
    const { ID, Prefix, Last4, ExpiresAt, CreatedAt, ...rest } = created.Key;
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
      AllowedIPs: input.AllowedIPs,
    });
    assert.match(ID, /^bky_[0-7][0-9a-z]{25}$/);
    assert.match(created.Secret, /^bwkb_[0-9A-Za-z]{49}$/);
    assert.deepEqual([Prefix, Last4], [created.Secret.slice(0, 8), created.Secret.slice(-4)]);
    assert.equal(days(CreatedAt, ExpiresAt), 90);
    assert.deepEqual(await read(created.Key), created.Key);
    assert.deepEqual(
      (await readPage<BotKey>(stack, 'BotKeys_List', { Tenant: bot.Tenant, Bot: bot.ID }, token))
        .Items,
      [created.Key],
    );
    const [event] = await keyEvents(bot.Tenant);
    assert.deepEqual(
      [event?.type, event?.data, event?.previous],
      ['bot_key.created', created.Key, {}],
    );
    const [stored] = await rowsOf<{ size: number }>(
      stack,
      'select length(token_hash) as size from identity.bot_key where id = $1',
      [ID],
    );
    assert.equal(stored?.size, 32);
  });

  test('BotKeys_Create refuses missing and malformed fields, and an expiry too far ahead', async () => {
    const { stack, token, newBot, newKey, expire, rotate } = suite;
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
    const { stack, token, newBot, newKey, read } = suite;
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
    const { stack, token, newBot, newKey, expire } = suite;
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

  test('BotKeys_Create and BotKeys_Rotate require that the caller holds the key’s permissions', async () => {
    const { stack, token, newBot, newKey, rotate } = suite;
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
});
