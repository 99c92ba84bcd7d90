import { createId } from '@bailiwick/contract';
import { bodyOf, recordIn } from './answers.ts';
import type { Stack } from './harness.ts';
import { rowsOf } from './store.ts';

// Creates bots and their keys through the API.

export type Bot = {
  ID: string;
  Tenant: string;
  Name: string;
  Description: string;
  Active: boolean;
  Metadata: object;
  LastUsedAt?: string;
  CreatedBy: string;
  CreatedAt: string;
  UpdatedAt: string;
};

export type BotKey = {
  ID: string;
  Tenant: string;
  Bot: string;
  Name: string;
  Prefix: string;
  Last4: string;
  Permissions: string[];
  AllowedIPs: string[];
  ExpiresAt: string;
  LastUsedAt?: string;
  RevokedAt?: string;
  RotatedFrom: string;
  CreatedBy: string;
  CreatedAt: string;
};

export type NewKey = { Key: BotKey; Secret: string };

export async function createBot(
  stack: Pick<Stack, 'call'>,
  Tenant: string,
  token: string,
  fields: object = {},
): Promise<Bot> {
  return recordIn(
    await stack.call('Bots_Save', { Bot: { Tenant, Name: 'deployer', ...fields } }, token),
    'Bot',
  ) as Bot;
}

export async function createKey(
  stack: Stack,
  bot: Pick<Bot, 'ID' | 'Tenant'>,
  token: string,
  fields: object = {},
): Promise<NewKey> {
  return bodyOf(
    await stack.call(
      'BotKeys_Create',
      { Tenant: bot.Tenant, Bot: bot.ID, Name: 'ci', ...fields },
      token,
    ),
  ) as unknown as NewKey;
}

/**
 * Inserts a grant for a bot into the store. Gateways use the cached grants of the bot until they have
 * read the revocation in the log, for about a second.
 */
export async function grantBotInStore(
  stack: Stack,
  { Tenant, ID }: Pick<Bot, 'ID' | 'Tenant'>,
  role: string,
): Promise<void> {
  await rowsOf(
    stack,
    `with granted as (
       insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ($1, $2, 'bot', $3, $4, '', '', now())
     )
     insert into access.revocation (keys) values (array[$5])`,
    [Tenant, createId('bgr'), ID, role, `bot:${ID}`],
  );
}

export const inDays = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString();
