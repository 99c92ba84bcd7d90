import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { newPerson, newSession } from '../matrix/people.ts';
import type { World } from '../matrix/world.ts';
import { bodyOf } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import type { Answer, Stack } from '../support/harness.ts';
import { countOf } from '../support/store.ts';

// Changes in great number while a right ends, calls that end their own right, and people who end
// each other.

const rounds = 5;
const atOnce = 24;

/** `started` is called after the suite has started the world. */
export function testEndings(started: () => World): void {
  describe('rights that end beside many changes', () => {
    let stack: Stack;
    let tenant: string;
    let ownerToken: string;
    before(() => {
      const world = started();
      ({ stack } = world);
      ({ tenant, ownerToken } = world.places.own);
    });

    const byPlatform = async (operation: string, body: object) =>
      bodyOf(await stack.call(operation, body, stack.platformKey));

    async function newDeputy() {
      const person = await newPerson(stack, 'deputy');
      const member = { Tenant: tenant, UserID: person.id };
      await byPlatform('TenantMembers_Add', member);
      const Grant = { ...member, Role: 'owner' };
      await byPlatform('Grants_Add', { Grant });
      return { ...person, Grant };
    }
    type Deputy = Awaited<ReturnType<typeof newDeputy>>;

    const endings: Record<string, (deputy: Deputy) => Promise<Answer>> = {
      Grants_Remove: ({ Grant }) => stack.call('Grants_Remove', { Grant }, ownerToken),
      Users_Disable: ({ id: UserID }) => stack.call('Users_Disable', { UserID }, stack.platformKey),
      TenantMembers_Disable: ({ id: UserID }) =>
        stack.call('TenantMembers_Disable', { Tenant: tenant, UserID }, ownerToken),
      Sessions_RevokeAll: ({ token }) => stack.call('Sessions_RevokeAll', {}, token),
    };

    for (const [name, end] of Object.entries(endings))
      test(`${name}: of ${atOnce} keys that are created meanwhile, none appears after the answer`, async () => {
        for (let round = 0; round < rounds; round++) {
          const deputy = await newDeputy();
          const bots = await Promise.all(
            Array.from({ length: 6 }, () => createBot(stack, tenant, ownerToken)),
          );
          const keys = () => countOf(stack, 'identity.bot_key where created_by = $1', [deputy.id]);
          const calls = Array.from({ length: atOnce }, (_, index) =>
            stack.call(
              'BotKeys_Create',
              { Tenant: tenant, Bot: bots[index % bots.length]?.ID, Name: 'raced' },
              deputy.token,
            ),
          );
          bodyOf(await end(deputy));
          const then = await keys();
          const answers = await Promise.all(calls);
          assert.equal(await keys(), then);
          for (const { status, body } of answers)
            assert.ok([200, 401, 403].includes(status), JSON.stringify(body));
        }
      });

    test('a call that ends its own right succeeds', async () => {
      const own = async (operation: string, body: (deputy: Deputy) => object) => {
        const deputy = await newDeputy();
        bodyOf(await stack.call(operation, body(deputy), deputy.token));
      };
      await own('Account_Logout', () => ({}));
      await own('Sessions_RevokeAll', () => ({}));
      await own('Grants_Remove', ({ Grant }) => ({ Grant }));
      await own('TenantMembers_Remove', ({ id: UserID }) => ({ Tenant: tenant, UserID }));
      await own('Users_Delete', ({ id: UserID }) => ({ UserID }));
      const bot = await createBot(stack, tenant, ownerToken);
      const Grant = { Tenant: tenant, Bot: bot.ID, Role: 'admin' };
      bodyOf(await stack.call('BotGrants_Add', { Grant }, ownerToken));
      const key = await createKey(stack, bot, ownerToken);
      const ExpiresAt = new Date().toISOString();
      const ended = { Tenant: tenant, ID: key.Key.ID, ExpiresAt };
      bodyOf(await stack.call('BotKeys_SetExpiration', ended, key.Secret));
    });

    test('of two administrators who end each other at once, at least one succeeds', async () => {
      for (let round = 0; round < rounds * 2; round++) {
        const pair = [await newPerson(stack, 'one'), await newPerson(stack, 'other')];
        for (const { id: UserID } of pair)
          await byPlatform('Grants_Add', {
            Grant: { Platform: true, UserID, Role: 'platform-owner' },
          });
        // Their rights are cached, as those of people at work.
        for (const { token } of pair) bodyOf(await stack.call('Account_Get', {}, token));
        const answers = await Promise.all(
          pair.map(({ token }, index) =>
            stack.call('Users_Disable', { UserID: pair[1 - index]?.id, Reason: 'a race' }, token),
          ),
        );
        const statuses = answers.map(({ status }) => status);
        assert.ok(statuses.includes(200), JSON.stringify(answers.map(({ body }) => body)));
        for (const { status, body } of answers)
          assert.ok([200, 401, 403].includes(status), JSON.stringify(body));
      }
    });

    test('a right that grows meanwhile refuses no change', async () => {
      const deputy = await newDeputy();
      const second = await newSession(stack, deputy.id);
      const changes = Array.from({ length: atOnce }, (_, index) =>
        stack.call(
          'Groups_Save',
          { Group: { Tenant: tenant, Path: `grows/${index}` } },
          index % 2 === 0 ? deputy.token : second.token,
        ),
      );
      const Grant = { Tenant: tenant, UserID: deputy.id, Role: 'admin' };
      bodyOf(await stack.call('Grants_Add', { Grant }, ownerToken));
      for (const answer of await Promise.all(changes)) bodyOf(answer);
    });
  });
}
