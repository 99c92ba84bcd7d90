import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { importsOf } from './support/parsing.ts';

// What a process loads at its start.

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
      else if (rest === undefined) loaded.add(`packages/${name}/mod.ts`);
    }
  }
  return loaded;
}

test('the gateway, which stores nothing, loads no part of a database', () => {
  const loaded = loadedBy('gateway/main.ts');
  assert.ok(loaded.has('packages/wire/mod.ts'), 'the walk reaches the packages');
  const databases = /^(pg|kysely|@mikro-orm\/.*|packages\/database\/.*)$/;
  assert.deepEqual(
    [...loaded].filter((one) => databases.test(one)),
    [],
  );
  assert.ok([...loadedBy('services/access/main.ts')].some((one) => databases.test(one)));
});
