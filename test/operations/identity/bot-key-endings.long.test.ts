import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertRefused, bodyOf, retryWhileBusy } from '../../support/answers.ts';
import type { Bot, NewKey } from '../../support/bots.ts';
import { describeBoth } from '../../support/harness.ts';
import { type BotCalls, startBotCalls } from './bot-key-calls.ts';

// When a bot's key stops working.
describeBoth('the end of a bot key', (topology) => {
  let suite: BotCalls;
  before(async () => {
    suite = await startBotCalls(topology);
  });
  after(() => suite?.stop());

  /**
   * Calls again and again to keep the gateway's cache filled. Asserts that no call that begins
   * after `end` succeeds.
   */
  async function assertEnds(secret: string, end: () => Promise<number>): Promise<void> {
    let endedAt = Number.POSITIVE_INFINITY;
    const allowed: number[] = [];
    let stop = false;
    const loops = Array.from({ length: 50 }, async () => {
      while (!stop) {
        const began = Date.now();
        const { status } = await retryWhileBusy(() => suite.groups(secret));
        if (status === 200) allowed.push(began);
        else assert.equal(status, 401);
      }
    });
    await sleep(300);
    endedAt = await end();
    await sleep(500);
    stop = true;
    await Promise.all(loops);
    assert.ok(allowed.length > 0, 'the key worked before');
    assert.deepEqual(
      allowed.filter((began) => began > endedAt),
      [],
    );
  }

  test('a key that is revoked, or whose bot is deactivated or deleted, never works after the reply, for 50 concurrent callers', async () => {
    const { stack, owner, Tenant, botWith, expire } = suite;
    const ends: Array<(created: { bot: Bot } & NewKey) => Promise<unknown>> = [
      async ({ Key }) => bodyOf(await expire(Key, new Date(Date.now() - 1).toISOString())),
      async ({ bot }) =>
        bodyOf(await stack.call('Bots_Save', { Bot: { ...bot, Active: false } }, owner.token)),
      async ({ bot }) =>
        bodyOf(await stack.call('Bots_Delete', { Tenant, ID: bot.ID }, owner.token)),
    ];
    for (const end of ends) {
      const created = await botWith('member');
      await assertEnds(created.Secret, async () => {
        await end(created);
        return Date.now();
      });
    }
  });

  test('a key that expires while the gateway caches it stops working at that moment', async () => {
    const { botWith, expire } = suite;
    const { Key, Secret } = await botWith('member');
    await assertEnds(Secret, async () => {
      const at = new Date(Date.now() + 900);
      bodyOf(await expire(Key, at.toISOString()));
      await sleep(900);
      return at.getTime();
    });
  });

  test('a reactivated bot works with the reply', async () => {
    const { stack, owner, Tenant, botWith, groups } = suite;
    const { bot, Secret } = await botWith('member');
    const activate = async (Active: boolean) =>
      bodyOf(
        await stack.call(
          'Bots_Save',
          { Bot: { Tenant, ID: bot.ID, Name: 'a', Active } },
          owner.token,
        ),
      );
    await activate(false);
    assertRefused(await groups(Secret), 401, 'unauthenticated');
    await activate(true);
    bodyOf(await groups(Secret));
  });
});
