import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Setting, SettingTable } from '@bailiwick/process';
import { usage } from '../local/options.ts';
import { migrateSettings } from '../settings.ts';
import { processTables } from '../shapes.ts';
import { renderConfiguration } from './configuration.ts';
import { staleOutputs } from './write.ts';

test('every file that npm run generate writes is up to date', () => {
  assert.deepEqual(staleOutputs(), []);
});

test('docs/configuration.md has one row for every setting of a process, and those of the local start', () => {
  const [processes = '', local = ''] = renderConfiguration().split('## The local start');
  const settings = new Set(tables.flatMap((table) => Object.values(table)).map(({ env }) => env));
  assert.deepEqual(namesIn(processes).sort(), [...settings].sort());
  const accepted = Array.from(usage.match(/^ {2}[A-Z_]+/gm) ?? [], (name) => name.trim());
  assert.deepEqual(namesIn(local).sort(), accepted.sort());
});

test('a setting has the same meaning in every process that reads it', () => {
  const firstByName = new Map<string, Setting>();
  for (const setting of tables.flatMap((table): Setting[] => Object.values(table))) {
    const { kind, fallback, about, orElse } = firstByName.get(setting.env) ?? setting;
    assert.deepEqual(
      { kind, fallback, about, orElse },
      {
        kind: setting.kind,
        fallback: setting.fallback,
        about: setting.about,
        orElse: setting.orElse,
      },
      setting.env,
    );
    firstByName.set(setting.env, setting);
  }
});

test('a row says whether the setting is required, and which processes read it', () => {
  const [, every = '', several = '', gateway = ''] = renderConfiguration().split(/^## /m);
  assert.match(every, /^\| `NATS_URL` \| URL \| \*\*required\*\* \|/m);
  assert.match(
    several,
    /^\| `BAILIWICK_ALLOWED_ORIGINS` \| .* \| empty \| .* \| gateway, identity, access, sso \|$/m,
  );
  assert.match(gateway, /^\| `BAILIWICK_UNKNOWN_KEYS` \| text \| `refuse` \|/m);
});

const tables: readonly SettingTable[] = [...processTables, migrateSettings];

const namesIn = (text: string): string[] =>
  Array.from(text.matchAll(/^\| `(\w+)`/gm), ([, name = '']) => name);
