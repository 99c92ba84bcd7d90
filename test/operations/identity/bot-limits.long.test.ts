import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { createBot, createKey, inDays } from '../../support/bots.ts';
import { eventually, type Stack, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';

describe('limits on the bots of a tenant', () => {
  let stack: Stack;
  let token: string;
  before(async () => {
    stack = await startStack('one process', { BAILIWICK_TENANT_GRACE_SECONDS: '1' });
    ({ token } = await signUp(stack));
  });
  after(() => stack?.stop());

  /** Inserts bots into the database, because calls would take too long. */
  const fill = (tenant: string, count: number) =>
    rowsOf(
      stack,
      `insert into identity.bot (tenant, id, name, description, active, metadata, created_by, created_at, updated_at)
       select $1, 'bot_' || $1 || n, 'bot ' || n, '', true, '{}', 'test', now(), now() from generate_series(1, $2) n`,
      [tenant, count],
    );

  test('a tenant has at most 1,000 bots', async () => {
    const Tenant = await createTenant(stack, token);
    await fill(Tenant, 999);
    const bot = await createBot(stack, Tenant, token);
    const createAnother = () =>
      stack.call('Bots_Save', { Bot: { Tenant, Name: 'another' } }, token);
    assertRefused(await createAnother(), 400, 'failed_precondition', [
      'a tenant has at most 1000 bots',
    ]);
    bodyOf(await stack.call('Bots_Save', { Bot: { Tenant, ID: bot.ID, Name: 'renamed' } }, token));
    bodyOf(await stack.call('Bots_Delete', { Tenant, ID: bot.ID }, token));
    bodyOf(await createAnother());
  });

  test('a bot has at most 100 valid keys', async () => {
    const Tenant = await createTenant(stack, token);
    const bot = await createBot(stack, Tenant, token);
    const { Key } = await createKey(stack, bot, token);
    await rowsOf(
      stack,
      `insert into identity.bot_key (tenant, id, bot, name, token_hash, prefix, last4, permissions, allowed_ips, expires_at, rotated_from, rotated_to, created_by, created_at)
       select $1, 'bky_' || $1 || n, $2, '', sha256(($1 || n)::bytea), '', '', '{}', '{}', now() + interval '1 day', '', '', '', now() from generate_series(1, 99) n`,
      [Tenant, bot.ID],
    );
    const request = { Tenant, Bot: bot.ID, Name: 'one more' };
    const refused = ['a bot has at most 100 valid keys'];
    assertRefused(
      await stack.call('BotKeys_Create', request, token),
      400,
      'failed_precondition',
      refused,
    );
    // A rotated key does not count in addition to the key that it replaces.
    const rotated = recordIn(
      await stack.call('BotKeys_Rotate', { Tenant, ID: Key.ID, ExpiresAt: inDays(1) }, token),
      'Key',
    ) as { ID: string };
    assertRefused(
      await stack.call('BotKeys_Create', request, token),
      400,
      'failed_precondition',
      refused,
    );
    await rowsOf(
      stack,
      `update identity.bot_key set expires_at = now() where tenant = $1 and id <> $2`,
      [Tenant, rotated.ID],
    );
    bodyOf(await stack.call('BotKeys_Create', request, token));
  });

  test('a purge publishes bot.deleted for every bot, even for more than a batch', async () => {
    const Tenant = await createTenant(stack, token);
    await fill(Tenant, 1100);
    bodyOf(await stack.call('Tenants_Delete', { Tenant }, token));
    await eventually(
      'the purge',
      async () => (await countOf(stack, 'identity.bot where tenant = $1', [Tenant])) === 0,
    );
    const deleted = await rowsOf<{ id: string }>(
      stack,
      `select event::jsonb->'data'->>'ID' as id from identity.outbox where for_tenant = $1 and event::jsonb->>'type' = 'bot.deleted'`,
      [Tenant],
    );
    assert.equal(deleted.length, 1100);
    assert.equal(new Set(deleted.map(({ id }) => id)).size, 1100);
  });
});
