import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { createKeyNotices } from '@bailiwick/identity/bot-keys/notices.ts';
import { identitySchema } from '@bailiwick/identity/schema.ts';
import { createLog } from '@bailiwick/process';
import { type Database, openDatabase } from '@bailiwick/store';
import { createTestDatabase } from './support/database.ts';
import { eventually } from './support/harness.ts';
import { countOf, eventsOf, rowsOf } from './support/store.ts';

const log = createLog('test', () => {});
const keys = 250;

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let replicas: Database[] = [];
before(async () => {
  server = await createTestDatabase();
  const { service, entities } = identitySchema;
  replicas = Array.from({ length: 4 }, () =>
    openDatabase({ service, url: server.url, entities, poolSize: 1, log }),
  );
});
after(async () => {
  await Promise.all(replicas.map((database) => database.close()));
  await server?.drop();
});

test('one of several replicas announces the expiry of a bot key, once', async () => {
  const at = { databaseUrl: server.url };
  const tenant = createId('tnt');
  for (let index = 0; index < keys; index++) {
    const hash = createHash('sha256').update(String(index)).digest();
    // Half of the keys have expired, and half expire within a fortnight.
    await rowsOf(
      at,
      `insert into identity.bot_key (tenant, id, bot, name, token_hash, prefix, last4, permissions, allowed_ips, expires_at, rotated_from, rotated_to,
         notice_at, created_by, created_at)
       values ($1, $2, 'bot_1', 'ci', $3, '', '', '{}', '{}', now() + $4::interval, '', '', now() - interval '1 second', '', now())`,
      [tenant, createId('bky'), hash, index % 2 === 0 ? '-1 second' : '14 days -1 second'],
    );
  }
  const stops = replicas.map((database) => createKeyNotices({ database, log, intervalMs: 10 })());
  await eventually(
    'all keys to be announced',
    async () => (await countOf(at, 'identity.bot_key where notice_at <= now()')) === 0,
  );
  await Promise.all(stops.map((stop) => stop()));
  const events = await eventsOf(at, 'identity', tenant);
  assert.equal(events.length, keys);
  assert.equal(new Set(events.map(({ data }) => data['ID'])).size, keys);
  assert.equal(events.filter(({ type }) => type === 'bot_key.expired').length, keys / 2);
  assert.equal(events.filter(({ type }) => type === 'bot_key.expiring').length, keys / 2);
});
