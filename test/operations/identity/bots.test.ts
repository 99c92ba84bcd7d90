import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import {
  assertRefused,
  bodyOf,
  readList,
  readPage,
  retryWhileBusy,
} from '../../support/answers.ts';
import { type Bot, createBot } from '../../support/bots.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import { type Bots, startBots } from './bot-record-calls.ts';

describeOne('bots', 'one process', (topology) => {
  let suite: Bots;
  before(async () => {
    suite = await startBots(topology);
  });
  after(() => suite?.stop());

  test('Bots_Save without an ID creates a bot and ignores the fields that the service manages', async () => {
    const { stack, id, newTenant, saved, read } = suite;
    const Tenant = await newTenant();
    const managed = { LastUsedAt: 7, CreatedBy: ['x'], CreatedAt: 'never', UpdatedAt: {} };
    const fields = { Name: 'deployer', Description: 'It deploys', Metadata: { team: 'platform' } };
    const bot = await saved({ Tenant, ...fields, ...managed });
    const { ID, CreatedAt, UpdatedAt, ...rest } = bot;
    assert.deepEqual(rest, { Tenant, ...fields, Active: true, CreatedBy: id });
    assert.match(ID, /^bot_[0-7][0-9a-z]{25}$/);
    assert.equal(CreatedAt, UpdatedAt);
    assert.deepEqual(await read(Tenant, ID), bot);
    assert.deepEqual(
      await rowsOf(
        stack,
        'select name, active, created_by from identity.bot where tenant = $1 and id = $2',
        [Tenant, ID],
      ),
      [{ name: 'deployer', active: true, created_by: id }],
    );
    assert.equal((await saved({ Tenant, Name: 'sleeper', Active: false })).Active, false);
  });

  test('Bots_Save keeps absent fields, replaces sent ones, and lists the changes in its event', async () => {
    const { id, newTenant, saved, botEvents } = suite;
    const Tenant = await newTenant();
    const created = await saved({
      Tenant,
      Name: 'a',
      Description: 'b',
      Metadata: { c: 'd' },
      Active: false,
    });
    const renamed = await saved({ Tenant, ID: created.ID, Name: 'e' });
    assert.deepEqual({ ...renamed, UpdatedAt: created.UpdatedAt }, { ...created, Name: 'e' });
    assert.ok(renamed.UpdatedAt > created.UpdatedAt);
    const emptied = await saved({
      Tenant,
      ID: created.ID,
      Name: 'e',
      Description: '',
      Metadata: {},
      Active: true,
    });
    assert.deepEqual([emptied.Description, emptied.Metadata, emptied.Active], ['', {}, true]);
    for (const same of [emptied, { Tenant, ID: created.ID, Name: 'e' }])
      assert.deepEqual(await saved(same), emptied);
    const events = await botEvents(Tenant);
    assert.deepEqual(
      events.map(({ type, previous }) => [type, previous]),
      [
        ['bot.created', {}],
        ['bot.updated', { Name: 'a' }],
        ['bot.updated', { Description: 'b', Metadata: { c: 'd' }, Active: false }],
      ],
    );
    assert.deepEqual(events[2]?.data, emptied);
    assert.deepEqual(events[2]?.actor, { type: 'user', id });
  });

  test('Bots_Save with IfUpdatedAt fails if the bot has changed since', async () => {
    const { stack, newTenant, save, saved, read } = suite;
    const Tenant = await newTenant();
    const { ID, UpdatedAt } = await saved({ Tenant, Name: '0' });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        retryWhileBusy(() => save({ Tenant, ID, Name: `n${index}` }, { IfUpdatedAt: UpdatedAt })),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      assertRefused(answer, 400, 'failed_precondition', ['the bot was changed meanwhile']);
    const winner = await read(Tenant, ID);
    assert.equal(
      (await saved({ Tenant, ID, Name: 'last' }, { IfUpdatedAt: winner.UpdatedAt })).Name,
      'last',
    );
    // A missing bot is not the bot that was read.
    assertRefused(
      await save({ Tenant, Name: 'new' }, { IfUpdatedAt: UpdatedAt }),
      400,
      'failed_precondition',
    );
    assert.equal(await countOf(stack, 'identity.bot where tenant = $1', [Tenant]), 1);
  });

  test('Bots_Save reports missing, malformed and too long fields in one list', async () => {
    const { stack, newTenant, save, saved } = suite;
    const Tenant = await newTenant();
    assertRefused(await save({}), 400, 'invalid_argument', [
      'Bot.Name is required',
      'Bot.Tenant is required',
    ]);
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`key${index}`, '']));
    const long = {
      Tenant,
      ID: 'grp_1',
      Name: 'x'.repeat(129),
      Description: 'x'.repeat(513),
      Metadata: many,
    };
    assertRefused(await save(long), 400, 'invalid_argument', [
      'Bot.ID must be an identifier that begins with bot_',
      'Bot.Name must be at most 128 characters',
      'Bot.Description must be at most 512 characters',
      'Bot.Metadata must have at most 50 keys',
    ]);
    assertRefused(await save({ Tenant, Name: 7, Active: 'yes' }), 400, 'invalid_argument');
    assert.equal(
      (await saved({ Tenant, Name: 'ä'.repeat(128), Description: 'x'.repeat(512) })).Name,
      'ä'.repeat(128),
    );
    assert.equal(await countOf(stack, 'identity.bot where tenant = $1', [Tenant]), 1);
  });

  test('Bots_* answer not_found for a bot of another tenant, as for a missing one', async () => {
    const { stack, token, newTenant, save, read } = suite;
    const [Tenant, other] = await Promise.all([newTenant(), newTenant()]);
    const foreign = await createBot(stack, other, token);
    for (const ID of [foreign.ID, createId('bot')]) {
      assertRefused(await save({ Tenant, ID, Name: 'mine' }), 400, 'not_found', ['bot not found']);
      assertRefused(await stack.call('Bots_Get', { Tenant, ID }, token), 400, 'not_found', [
        'bot not found',
      ]);
      assert.deepEqual(bodyOf(await stack.call('Bots_Delete', { Tenant, ID }, token)), {});
    }
    assert.deepEqual(await read(other, foreign.ID), foreign);
    for (const operation of ['Bots_Get', 'Bots_Delete']) {
      assertRefused(
        await stack.call(operation, { Tenant, ID: 'junk' }, token),
        400,
        'invalid_argument',
        ['ID must be an identifier that begins with bot_'],
      );
      assertRefused(await stack.call(operation, {}, token), 400, 'invalid_argument', [
        'Tenant is required',
        'ID is required',
      ]);
    }
  });

  test('Bots_* deny strangers, and a missing tenant answers like a foreign one', async () => {
    const { stack, token } = suite;
    const stranger = await signUp(stack);
    const foreign = await createTenant(stack, stranger.token);
    for (const Tenant of [foreign, createId('tnt')]) {
      const requests = {
        Bots_Save: { Bot: { Tenant, Name: 'a' } },
        Bots_Get: { Tenant, ID: createId('bot') },
        Bots_List: { Tenant },
      };
      for (const [operation, request] of Object.entries({
        ...requests,
        Bots_Delete: requests.Bots_Get,
      })) {
        assertRefused(await stack.call(operation, request, token), 403, 'permission_denied', [
          'permission denied',
        ]);
      }
    }
    assert.equal(await countOf(stack, 'identity.bot where tenant = $1', [foreign]), 0);
  });

  test('Bots_List pages through a tenant’s bots in order, and takes only its own cursor', async () => {
    const { stack, token, newTenant, save } = suite;
    const [Tenant, other] = await Promise.all([newTenant(), newTenant()]);
    assert.deepEqual(await readPage(stack, 'Bots_List', { Tenant }, token), {
      Items: [],
      NextCursor: '',
    });
    const names = Array.from({ length: 60 }, (_, index) => `bot ${index}`);
    await Promise.all([
      ...names.map((Name) => retryWhileBusy(() => save({ Tenant, Name }))),
      save({ Tenant: other, Name: 'a' }),
      save({ Tenant: other, Name: 'b' }),
    ]);
    const all = await readList<Bot>(stack, 'Bots_List', { Tenant }, token, 7);
    assert.deepEqual(all.sizes, [...Array.from({ length: 8 }, () => 7), 4]);
    assert.deepEqual(all.items.map(({ Name }) => Name).sort(), [...names].sort());
    const first = await readPage<Bot>(stack, 'Bots_List', { Tenant }, token);
    assert.deepEqual(first.Items, all.items.slice(0, 50));
    const foreign = await readPage<Bot>(
      stack,
      'Bots_List',
      { Tenant: other, Page: { Limit: 1 } },
      token,
    );
    for (const Cursor of [foreign.NextCursor, 'garbage']) {
      const answer = await stack.call('Bots_List', { Tenant, Page: { Cursor } }, token);
      assertRefused(answer, 400, 'invalid_argument', ['Page.Cursor is not a cursor of this list']);
    }
    assertRefused(
      await stack.call('Bots_List', { Tenant, Page: { Limit: -1 } }, token),
      400,
      'invalid_argument',
      ['Page.Limit must be at least 0'],
    );
    assertRefused(await stack.call('Bots_List', {}, token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
  });
});
