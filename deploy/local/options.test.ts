import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readOptions } from './options.ts';
import { root } from './paths.ts';

test('readOptions has fixed defaults', () => {
  assert.deepEqual(readOptions([], {}), {
    shape: 'services',
    deno: false,
    watch: false,
    demo: false,
    dataDir: join(root, '.local'),
    gatewayPort: 8080,
    inboxPort: 8025,
    containers: false,
  });
});

test('readOptions reads ports, folder, database and broker from the environment', () => {
  const environment = {
    PORT: '0',
    BAILIWICK_INBOX_PORT: '9000',
    BAILIWICK_DATA: '/data',
    DATABASE_URL: 'postgres://h/d',
    NATS_URL: 'nats://h',
    BAILIWICK_INFRA: 'containers',
  };
  assert.deepEqual(readOptions(['--single', '--deno'], environment), {
    shape: 'single',
    deno: true,
    watch: false,
    demo: false,
    dataDir: '/data',
    gatewayPort: 0,
    inboxPort: 9000,
    containers: true,
    databaseUrl: 'postgres://h/d',
    natsUrl: 'nats://h',
  });
});

test('readOptions accepts one shape', () => {
  assert.equal(readOptions(['--compact', '--watch'], {}).shape, 'compact');
  assert.throws(
    () => readOptions(['--compact', '--single'], {}),
    /--compact or --single, not both/,
  );
});

test('readOptions accepts --watch for Node only', () => {
  assert.equal(readOptions(['--watch'], {}).watch, true);
  assert.equal(readOptions(['--demo'], {}).demo, true);
  assert.throws(() => readOptions(['--watch', '--deno'], {}), /--watch needs Node/);
});

test('readOptions rejects unknown arguments and invalid values', () => {
  assert.throws(
    () => readOptions(['--sinlge'], {}),
    /unknown argument --sinlge\n\nusage: npm start/,
  );
  assert.throws(() => readOptions([], { PORT: 'http' }), /PORT must be a port number/);
  assert.throws(() => readOptions([], { PORT: '70000' }), /PORT must be a port number/);
  assert.throws(
    () => readOptions([], { BAILIWICK_INFRA: 'docker' }),
    /BAILIWICK_INFRA can be containers, or unset; not "docker"/,
  );
  assert.throws(
    () => readOptions([], { DATABASE_URL: 'mysql://h' }),
    /DATABASE_URL must be a URL that begins with postgres/,
  );
});
