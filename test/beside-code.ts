import { globSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

// npm run test:unit: every test beside the code, in the four processes of beside-*.ts. They need no
// database, no broker and no running stack. A test that needs one is in test/. Arguments name the
// folders: test/deno/code.long.test.ts runs some of them on Deno.

const root = path.resolve(import.meta.dirname, '..');

/**
 * Imports all tests in these folders, which runs them. They wait for the first one: the runner ends a
 * process that has no test to run for a moment, even while it is importing the next file.
 */
export async function importTests(folders: readonly string[]): Promise<void> {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root, exclude: (name) => name.includes('node_modules') },
  );
  const imported = Promise.withResolvers<void>();
  test('every file with tests can be imported', () => imported.promise);
  for (const file of files.sort()) await import(pathToFileURL(path.join(root, file)).href);
  imported.resolve();
}

await importTests(process.argv.slice(2));
