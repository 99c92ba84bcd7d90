import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { importsOf, root } from './support/parsing.ts';

// The files that a process loads when it starts.

/** The file that a name of a package leads to. */
function faceOf(name: string, rest = ''): string {
  const folder = path.join('packages', name);
  const text = readFileSync(path.join(root, folder, 'package.json'), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Record<string, string> };
  return path.join(folder, exports[`.${rest}`] ?? assert.fail(`${name}${rest} is not exported`));
}

/** The files and packages that a file loads when it runs, its own imports included. */
function loadedBy(start: string): Set<string> {
  const loaded = new Set([start]);
  for (const file of loaded) {
    if (!file.endsWith('.ts')) continue;
    for (const { from, isType } of importsOf(file)) {
      if (isType) continue;
      const [, name, rest] = /^@bailiwick\/([^/]+)(\/.*)?$/.exec(from) ?? [];
      if (from.startsWith('.')) loaded.add(path.join(path.dirname(file), from));
      else if (name === undefined) loaded.add(from);
      else if (name === 'proto') loaded.add(`proto${rest}`);
      else loaded.add(faceOf(name, rest));
    }
  }
  return loaded;
}

test('the gateway, which stores nothing, loads no part of a database', () => {
  const loaded = loadedBy('gateway/main.ts');
  assert.ok(loaded.has('packages/wire/mod.ts'), 'the walk reaches the packages');
  const databases = /^(pg|kysely|@mikro-orm\/.*|packages\/store\/.*)$/;
  assert.deepEqual(
    [...loaded].filter((one) => databases.test(one)),
    [],
  );
  assert.ok([...loadedBy('services/access/main.ts')].some((one) => databases.test(one)));
});
