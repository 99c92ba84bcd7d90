import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, 'locales');

const keysOf = (json: string): string[] =>
  [...json.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, key = '']) => key);

// JSON.parse keeps the last of two texts with one key, and says nothing.
test('no file of texts has a key twice', () => {
  const files = globSync('**/*.json', { cwd: folder });
  assert.ok(files.length > 6, files.join(' '));
  for (const file of files) {
    const text = readFileSync(join(folder, file), 'utf8');
    assert.deepEqual(keysOf(text), keysOf(JSON.stringify(JSON.parse(text))), file);
  }
});
