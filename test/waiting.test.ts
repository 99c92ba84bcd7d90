import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { migrateAll } from '@bailiwick/deploy/migrate.ts';
import { createLog } from '@bailiwick/process';
import { createTestDatabase } from './support/database.ts';

// Migrations that start before their database, as on a new cluster.

let database: Awaited<ReturnType<typeof createTestDatabase>>;
before(async () => {
  database = await createTestDatabase({ ownServer: true });
});
after(() => database?.drop());

test('migrations wait for a silent database for BAILIWICK_DATABASE_WAIT_SECONDS, and not at all by default', async () => {
  const lines: string[] = [];
  const log = createLog('test', (line) => void lines.push(line));
  const migrateWithin = (seconds: number) =>
    migrateAll(
      { DATABASE_URL: database.url, BAILIWICK_DATABASE_WAIT_SECONDS: String(seconds) },
      log,
    );
  await database.server?.stop();
  await assert.rejects(migrateWithin(0));
  assert.deepEqual(lines, []);
  await assert.rejects(migrateWithin(1));
  const waiting = migrateWithin(60);
  await database.server?.start();
  await waiting;
  assert.match(lines[0] ?? '', /waiting for the database/);
  assert.match(lines.at(-1) ?? '', /schema is current/);
});
