import { globSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { importFiles } from './batches.ts';

// npm run test:unit: every test beside the code, in the four processes of beside-*.ts. They need no
// database, no broker and no running stack. A test that needs one is in test/. Arguments name the
// folders: test/deno/code.long.test.ts runs some of them on Deno.

const root = path.resolve(import.meta.dirname, '..');

/** Imports all tests in these folders, which runs them. */
export function importTests(folders: readonly string[]): Promise<void> {
  const files = globSync(
    folders.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root, exclude: (name) => name.includes('node_modules') },
  );
  return importFiles(files.sort());
}

await importTests(process.argv.slice(2));
