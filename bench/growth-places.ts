import { createBot, createKey } from '@bailiwick/test/support/bots.ts';
import type { OwnStack } from '@bailiwick/test/support/harness.ts';
import type { Shot } from './driver.ts';
import { filledId } from './generate.ts';
import { perBlock } from './generate-installation.ts';
import { sessionsOf } from './sessions.ts';

// Who asks in G39: the owners of tenants all over a generated installation.

/** A tenant, by its owner. `u`: the number of the owner; the members follow. */
export type Place = { tenant: string; number: number; u: number; token: string };

export type Installation = {
  stack: OwnStack;
  users: number;
  usual: readonly Place[];
  largest: Place;
  scimKey: string;
};

/** `prepare` makes the shots of a turn, whose cost does not count. */
export type Comparison = { what: string; prepare: (turn: number) => Shot[] | Promise<Shot[]> };

export const limit = 50;
export const shotsPerTurn = 60;
const mostPlaces = 60;
export const Page = { Limit: limit };

/** Opens the sessions of the owners. */
export async function enter(stack: OwnStack, users: number): Promise<Installation> {
  const blocks = users / perBlock;
  const count = Math.min(blocks, mostPlaces);
  const numbers = Array.from({ length: count }, (_, n) => Math.floor((n * blocks) / count));
  const owners = [10, ...numbers.map((block) => block * perBlock + 1)];
  const sessions = await sessionsOf(
    stack,
    owners.map((u) => filledId('usr', u)),
  );
  const tokens = new Map(sessions.map(({ userId, token }) => [userId, token]));
  const [largest, ...usual] = owners.map((u): Place => {
    const number = u === 10 ? 1 : 2 + (u - 1) / perBlock;
    return {
      tenant: filledId('tnt', number),
      number,
      u,
      token: tokens.get(filledId('usr', u)) ?? '',
    };
  });
  if (!largest) throw new Error('the installation has no tenant');
  return {
    stack,
    users,
    usual: usual.filter(isOpen),
    largest,
    scimKey: await scimKeyOf(stack, largest),
  };
}

/** Every hundredth tenant is suspended. */
const isOpen = ({ number }: Place): boolean => number % 100 !== 99;

async function scimKeyOf(stack: OwnStack, { tenant, token }: Place): Promise<string> {
  const bot = await createBot(stack, tenant, token, { Name: 'directory' });
  const Grant = { Tenant: tenant, Bot: bot.ID, Role: 'scim-directory' };
  await stack.call('BotGrants_Add', { Grant }, token);
  return (await createKey(stack, bot, token)).Secret;
}

/**
 * A call in one usual tenant after the other. `i` counts the calls of a turn, and `n` those of all
 * turns.
 */
export function each(
  { usual }: Installation,
  what: string,
  shotOf: (place: Place, i: number, n: number) => Shot,
  count = shotsPerTurn,
): Comparison {
  return {
    what,
    prepare: (turn) =>
      Array.from({ length: count }, (_, i) =>
        shotOf(usual[i % usual.length] as Place, i, turn * count + i),
      ),
  };
}

/** The same call again and again. */
export const again = (what: string, shot: Shot): Comparison => ({
  what,
  prepare: () => Array.from({ length: shotsPerTurn }, () => shot),
});

/** A member of a usual tenant, other than its owner: the same one in each turn. */
export const memberOf = ({ u }: Place, i: number): number => u + 1 + (Math.floor(i / 10) % 8);
export const memberId = (place: Place, i: number): string => filledId('usr', memberOf(place, i));

/** A member of a usual tenant whom no turn before has named, for eighty rounds. */
export function nextMember({ u }: Place, n: number): string {
  const round = Math.floor(n / 10) % 80;
  return filledId('usr', u + 1 + (round % 8) + 10 * Math.floor(round / 8));
}
