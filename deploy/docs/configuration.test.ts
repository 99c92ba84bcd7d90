import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SettingTable } from '@bailiwick/settings';
import { usage } from '../local/options.ts';
import { migrateSettings, settingTables, singleSettings } from '../settings.ts';
import { renderConfiguration } from './configuration.ts';
import { staleOutputs } from './write.ts';

test('every file that npm run generate writes is up to date', () => {
  assert.deepEqual(staleOutputs(), []);
});

test('docs/configuration.md has a row for every setting of every process and of the local start', () => {
  const page = renderConfiguration();
  const tables: SettingTable[] = [...Object.values(settingTables), singleSettings, migrateSettings];
  const wanted = tables.flatMap((table) => Object.values(table)).length + 6;
  assert.equal(page.split('\n').filter((line) => line.startsWith('| `')).length, wanted);
  for (const { env } of tables.flatMap((table) => Object.values(table)))
    assert.ok(page.includes(`| \`${env}\` |`), env);
  const local = page.slice(page.indexOf('## The local start'));
  const described = new Set(Array.from(local.matchAll(/^\| `(\w+)`/gm), ([, name]) => name));
  const accepted = new Set(Array.from(usage.match(/^ {2}[A-Z_]+/gm) ?? [], (name) => name.trim()));
  assert.deepEqual(described, accepted);
});

test("a setting's row says whether it is required, and whether other processes share it", () => {
  const rows = renderConfiguration().split('\n');
  assert.ok(
    rows.some(
      (row) => row.startsWith('| `NATS_URL` | URL | **required** |') && row.endsWith(' * |'),
    ),
  );
  assert.ok(
    rows.some(
      (row) =>
        row.startsWith('| `BAILIWICK_TENANT_CREATION` |') &&
        row.includes('| `true` |') &&
        !row.endsWith(' * |'),
    ),
  );
});
