import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { atLeast, oneOf, readSettings, type SettingTable } from './config.ts';

const table = {
  url: { env: 'BAILIWICK_TEST_URL', kind: 'url', about: 'Where.' },
  pool: { env: 'BAILIWICK_TEST_POOL', kind: 'int', fallback: '10', about: 'How many.' },
  flag: { env: 'BAILIWICK_TEST_FLAG', kind: 'flag', fallback: 'false', about: 'Whether.' },
  list: { env: 'BAILIWICK_TEST_LIST', kind: 'list', fallback: '', about: 'Which.' },
  database: {
    env: 'BAILIWICK_TEST_DATABASE_URL',
    orElse: 'DATABASE_URL',
    kind: 'url',
    about: 'The database.',
  },
} as const satisfies SettingTable;

test('readSettings reads defaults, fallback names and values', () => {
  const settings = readSettings(table, {
    BAILIWICK_TEST_URL: 'http://a/b/',
    DATABASE_URL: 'postgres://x/y',
    BAILIWICK_TEST_LIST: 'a, b,,',
  });
  assert.deepEqual(settings, {
    url: 'http://a/b',
    pool: 10,
    flag: false,
    list: ['a', 'b'],
    database: 'postgres://x/y',
  });
});

test('readSettings lists everything that is missing, malformed or unknown at once', () => {
  const environment = {
    BAILIWICK_TEST_POOL: 'ten',
    BAILIWICK_TEST_FLAG: 'yes',
    BAILIWICK_TSET_URL: 'x',
    HOME: '/root',
  };
  assert.throws(
    () => readSettings(table, environment),
    (error: Error) => {
      for (const name of [
        'BAILIWICK_TEST_URL is required',
        'BAILIWICK_TEST_POOL must',
        'BAILIWICK_TEST_FLAG must',
        'BAILIWICK_TEST_DATABASE_URL is required',
        'BAILIWICK_TSET_URL is not a setting',
      ]) {
        assert.ok(error.message.includes(name), `${name} in:\n${error.message}`);
      }
      assert.ok(!error.message.includes('HOME'));
      return true;
    },
  );
});

test('readSettings reads a URL from a file where the variable ends in _FILE, and from the variable itself first', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-settings-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'url');
  writeFileSync(file, 'postgres://user:password@host/name\n');
  const read = (environment: Record<string, string>) =>
    readSettings({ database: table.database, pool: table.pool }, environment).database;
  assert.equal(
    read({ BAILIWICK_TEST_DATABASE_URL_FILE: file }),
    'postgres://user:password@host/name',
  );
  assert.equal(read({ DATABASE_URL_FILE: file }), 'postgres://user:password@host/name');
  assert.equal(
    read({ BAILIWICK_TEST_DATABASE_URL: 'postgres://own', DATABASE_URL_FILE: file }),
    'postgres://own',
  );
  assert.throws(
    () => read({ DATABASE_URL_FILE: join(folder, 'none') }),
    /BAILIWICK_TEST_DATABASE_URL names the file .*none, which cannot be read/,
  );
  assert.throws(
    () => read({ DATABASE_URL_FILE: file, BAILIWICK_TEST_POOL_FILE: file }),
    /BAILIWICK_TEST_POOL_FILE is not a setting/,
  );
});

test('readSettings names a file that cannot be read', () => {
  const files = {
    key: { env: 'BAILIWICK_KEY_FILE', kind: 'file', about: 'A key.' },
  } as const satisfies SettingTable;
  assert.throws(
    () => readSettings(files, { BAILIWICK_KEY_FILE: '/nowhere/key' }),
    /BAILIWICK_KEY_FILE names the file \/nowhere\/key/,
  );
});

test('readSettings reports failed checks together with all other problems', () => {
  const checked = {
    pool: { env: 'BAILIWICK_POOL', kind: 'int', check: atLeast(1), about: 'How many.' },
    mode: {
      env: 'BAILIWICK_MODE',
      kind: 'text',
      check: oneOf('http', 'grpc'),
      fallback: 'http',
      about: 'Which.',
    },
    from: { env: 'BAILIWICK_FROM', kind: 'text', about: 'Who.' },
  } as const satisfies SettingTable;
  assert.deepEqual(readSettings(checked, { BAILIWICK_POOL: '1', BAILIWICK_FROM: 'a' }), {
    pool: 1,
    mode: 'http',
    from: 'a',
  });
  assert.throws(
    () =>
      readSettings(checked, { BAILIWICK_POOL: '0', BAILIWICK_MODE: 'smtp', BAILIWICK_FROM: '' }),
    (error: Error) => {
      assert.match(error.message, /BAILIWICK_POOL must be at least 1/);
      assert.match(error.message, /BAILIWICK_MODE must be http or grpc/);
      assert.match(error.message, /BAILIWICK_FROM must not be empty/);
      return true;
    },
  );
});
