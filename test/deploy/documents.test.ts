import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { read, readDockerfile } from './dockerfile.ts';

// Runs the instructions of the runbooks. test/docs checks links and anchors.

const pages = ['docs/runbooks.md', 'docs/operations.md'];

/** The code blocks of one language, including those in lists. */
const blocks = (page: string, language: string): string[] =>
  Array.from(read(page).matchAll(/^( *)```(\S+)\n(.*?)^\1```$/gms)).flatMap(
    ([, , found, code = '']) => (found === language ? [code] : []),
  );

describe('the SQL of the runbooks and of operations', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase();
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client?.end();
    await database?.drop();
  });

  test('runs on a migrated database, and changes nothing', async () => {
    const statements = pages.flatMap((page) =>
      blocks(page, 'sql').map((sql) => [page, sql] as const),
    );
    assert.ok(statements.length >= 8, String(statements.length));
    await client.query('set default_transaction_read_only = on');
    for (const [page, sql] of statements)
      await client
        .query(sql)
        .catch((error: Error) => assert.fail(`${page}: ${error.message}\n${sql}`));
    await assert.rejects(client.query('delete from access.outbox'), /read-only/);
  });

  test('returns the rows that it asks for', async () => {
    const [version = ''] = blocks('docs/operations.md', 'sql').filter((sql) =>
      sql.includes('schema_window'),
    );
    await client.query('set default_transaction_read_only = on');
    const { rows } = await client.query<{
      service: string;
      version: number;
      compatible_from: number;
    }>(version);
    assert.deepEqual(rows.map(({ service }) => service).sort(), [
      'access',
      'identity',
      'notifications',
      'sso',
    ]);
    for (const row of rows)
      assert.ok(
        row.compatible_from >= 1 && row.compatible_from <= row.version,
        JSON.stringify(row),
      );
  });
});

test('every runbook says what to do, and when to escalate', () => {
  const sections = read('docs/runbooks.md').split(/^## /m).slice(1);
  assert.ok(sections.length >= 10);
  for (const section of sections) {
    const name = section.slice(0, section.indexOf('\n'));
    assert.match(section, /^1\. /m, `${name} has no first step`);
    assert.match(section, /^Escalate /m, `${name} does not say when to escalate`);
  }
});

test('every metric that they query exists', () => {
  const documented = new Set(
    Array.from(read('docs/observability.md').matchAll(/`(bailiwick_\w+)`/g), ([, name]) => name),
  );
  const asked = pages.flatMap((page) =>
    Array.from(read(page).matchAll(/bailiwick_[a-z]+_[a-z_]+/g), ([name]) =>
      name.replace(/_(bucket|count|sum)$/, ''),
    ),
  );
  assert.ok(new Set(asked).size >= 6);
  assert.deepEqual(
    asked.filter((name) => !documented.has(name)),
    [],
  );
});

test('the build commands name existing stages and arguments', () => {
  const { stages } = readDockerfile();
  const shell = blocks('docs/operations.md', 'sh').join('\n');
  for (const [, target = ''] of shell.matchAll(/--target (\S+)/g))
    assert.ok(stages.has(target), target);
  for (const [, file = ''] of shell.matchAll(/(?:--file|node) ((?:deploy|test)\/\S+)/g))
    assert.ok(existsSync(join(root, file)), file);
  const section = read('docs/operations.md').split('| Argument |')[1]?.split('\n\n')[0] ?? '';
  const described = Array.from(section.matchAll(/`([A-Z]+)`/g), ([, name = '']) => name);
  const known = Array.from(
    read('deploy/Dockerfile').matchAll(/^ARG ([A-Z]+)=/gm),
    ([, name = '']) => name,
  ).filter((name) => name !== 'PNPM');
  assert.deepEqual([...new Set(described)].sort(), known.sort());
});
