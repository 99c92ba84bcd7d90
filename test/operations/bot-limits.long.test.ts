import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../answers.ts';
import { createBot, createKey, inDays } from '../bots.ts';
import { eventually, type Stack, startStack } from '../harness.ts';
import { createTenant, signUp } from '../people.ts';
import { countOf, rowsOf } from '../store.ts';

describe('the bots of a tenant', () => {
  let stack: Stack;
  let token: string;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_TENANT_GRACE_SECONDS: '1' });
    ({ token } = await signUp(stack));
  });
  after(() => stack?.stop());

  /** Makes so many, which nobody would do by calls. */
  const fill = (tenant: string, count: number) =>
    rowsOf(
      stack,
      `insert into identity.bot (tenant, id, name, description, active, metadata, created_by, created_at, updated_at)
       select $1, 'bot_' || $1 || n, 'bot ' || n, '', true, '{}', 'test', now(), now() from generate_series(1, $2) n`,
      [tenant, count],
    );

  test('are 1,000 at most', async () => {
    const Tenant = await createTenant(stack, token);
    await fill(Tenant, 999);
    const bot = await createBot(stack, Tenant, token);
    const another = () => stack.call('Bots_Save', { Bot: { Tenant, Name: 'another' } }, token);
    assertRefused(await another(), 400, 'failed_precondition', ['a tenant has at most 1000 bots']);
    bodyOf(await stack.call('Bots_Save', { Bot: { Tenant, ID: bot.ID, Name: 'renamed' } }, token));
    bodyOf(await stack.call('Bots_Delete', { Tenant, ID: bot.ID }, token));
    bodyOf(await another());
  });

  test('have 100 keys each at most that have not ended', async () => {
    const Tenant = await createTenant(stack, token);
    const bot = await createBot(stack, Tenant, token);
    const { Key } = await createKey(stack, bot, token);
    await rowsOf(
      stack,
      `insert into identity.bot_key (tenant, id, bot, name, token_hash, prefix, last4, permissions, allowed_ips, expires_at, rotated_from, rotated_to, created_by, created_at)
       select $1, 'bky_' || $1 || n, $2, '', sha256(($1 || n)::bytea), '', '', '{}', '{}', now() + interval '1 day', '', '', '', now() from generate_series(1, 99) n`,
      [Tenant, bot.ID],
    );
    const asked = { Tenant, Bot: bot.ID, Name: 'one more' };
    const refused = ['a bot has at most 100 keys that have not ended'];
    assertRefused(
      await stack.call('BotKeys_Create', asked, token),
      400,
      'failed_precondition',
      refused,
    );
    // One that replaces another is none more.
    const rotated = recordIn(
      await stack.call('BotKeys_Rotate', { Tenant, ID: Key.ID, ExpiresAt: inDays(1) }, token),
      'Key',
    ) as { ID: string };
    assertRefused(
      await stack.call('BotKeys_Create', asked, token),
      400,
      'failed_precondition',
      refused,
    );
    await rowsOf(
      stack,
      `update identity.bot_key set expires_at = now() where tenant = $1 and id <> $2`,
      [Tenant, rotated.ID],
    );
    bodyOf(await stack.call('BotKeys_Create', asked, token));
  });

  test('are all told of when their tenant is purged, however many they are', async () => {
    const Tenant = await createTenant(stack, token);
    await fill(Tenant, 1100);
    bodyOf(await stack.call('Tenants_Delete', { Tenant }, token));
    await eventually(
      'the purge',
      async () => (await countOf(stack, 'identity.bot where tenant = $1', [Tenant])) === 0,
    );
    const told = await rowsOf<{ id: string }>(
      stack,
      `select event::jsonb->'data'->>'ID' as id from identity.outbox where for_tenant = $1 and event::jsonb->>'type' = 'bot.deleted'`,
      [Tenant],
    );
    assert.equal(told.length, 1100);
    assert.equal(new Set(told.map(({ id }) => id)).size, 1100);
  });
});
