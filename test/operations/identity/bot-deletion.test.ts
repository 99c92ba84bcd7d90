import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, eventTypesOf } from '../../support/store.ts';
import { type Bots, startBots } from './bot-record-calls.ts';

describeOne('deleted bots', 'one process', (topology) => {
  let suite: Bots;
  before(async () => {
    suite = await startBots(topology);
  });
  after(() => suite?.stop());

  test('Bots_Delete ends the bot and its keys with the reply, and a repetition publishes no event', async () => {
    const { stack, token, newTenant, read, botEvents } = suite;
    const Tenant = await newTenant();
    const [bot, otherBot] = [
      await createBot(stack, Tenant, token),
      await createBot(stack, Tenant, token),
    ];
    const { Key, Secret } = await createKey(stack, bot, token);
    const survivor = await createKey(stack, otherBot, token);
    const list = (secret: string) => stack.call('Groups_List', { Tenant }, secret);
    assert.equal((await list(Secret)).status, 403, 'the key is known and has no permissions');
    const before = await read(Tenant, bot.ID);
    for (let time = 0; time < 2; time++)
      assert.deepEqual(bodyOf(await stack.call('Bots_Delete', { Tenant, ID: bot.ID }, token)), {});
    assert.equal((await list(Secret)).status, 401);
    assert.equal((await list(survivor.Secret)).status, 403);
    assertRefused(await stack.call('Bots_Get', { Tenant, ID: bot.ID }, token), 400, 'not_found');
    assertRefused(
      await stack.call('BotKeys_Get', { Tenant, ID: Key.ID }, token),
      400,
      'not_found',
      ['bot key not found'],
    );
    assertRefused(
      await stack.call('BotKeys_List', { Tenant, Bot: bot.ID }, token),
      400,
      'not_found',
      ['bot not found'],
    );
    assert.equal(await countOf(stack, 'identity.bot_key where tenant = $1', [Tenant]), 1);
    assert.equal(
      (await eventTypesOf(stack, 'identity', Tenant)).filter((type) => type === 'bot.deleted')
        .length,
      1,
    );
    assert.deepEqual((await botEvents(Tenant)).at(-1)?.data, before);
  });

  test('Bots_Delete of a foreign or deleted bot changes nothing', async () => {
    const { stack } = suite;
    const [owner, stranger] = await Promise.all([signUp(stack), signUp(stack)]);
    const [Tenant, elsewhere] = await Promise.all([
      createTenant(stack, owner.token),
      createTenant(stack, stranger.token),
    ]);
    const { ID: Bot } = recordIn(
      await stack.call('Bots_Save', { Bot: { Tenant, Name: 'a' } }, owner.token),
      'Bot',
    ) as { ID: string };
    const grant = { Grant: { Tenant, Bot, Role: 'auditor' } };
    bodyOf(await stack.call('BotGrants_Add', grant, owner.token));
    bodyOf(await stack.call('Bots_Delete', { Tenant: elsewhere, ID: Bot }, stranger.token));
    const holds = async () =>
      recordIn(
        await stack.call(
          'Access_Check',
          { Tenant, Subject: Bot, Permission: 'iam.audit.read' },
          owner.token,
        ),
        'Allowed',
      );
    assert.equal(await holds(), true);
    bodyOf(
      await stack.call(
        'Bots_Save',
        { Bot: { ID: Bot, Tenant, Name: 'a', Active: false } },
        owner.token,
      ),
    );
    assert.equal(await holds(), false, 'the key is dead with the reply');
    bodyOf(
      await stack.call(
        'Bots_Save',
        { Bot: { ID: Bot, Tenant, Name: 'a', Active: true } },
        owner.token,
      ),
    );
    assert.equal(await holds(), true);
    bodyOf(await stack.call('Bots_Delete', { Tenant, ID: Bot }, owner.token));
    assert.equal(await holds(), false);
    assertRefused(await stack.call('BotGrants_Add', grant, owner.token), 400, 'not_found', [
      'bot not found',
    ]);
  });
});
