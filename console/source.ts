import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ConsoleManifest } from '@bailiwick/gateway/documents/console.ts';
import { readManifest } from '@bailiwick/gateway/http/static-files.ts';

// Whether the built console is the one that the sources would make.

const root = resolve(import.meta.dirname, '..');

/** Everything that the build is made of, and nothing that a test or a document changes. */
const sources = [
  'console/*.{html,json,ts}',
  'console/src/**/*.{css,svg,ts,tsx}',
  'packages/client/{,import/}*.ts',
  'packages/client/gen/operations.ts',
  'packages/texts/{accent,face,fill}.ts',
  'packages/texts/locales/*/console/*.json',
  'tsconfig.json',
  'pnpm-lock.yaml',
];

export function sourceHash(): string {
  const hash = createHash('sha256');
  for (const file of globSync(sources, { cwd: root }).sort()) {
    if (file.endsWith('.test.ts')) continue;
    hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('base64url');
}

/** Whether a folder has the console of these sources. */
export function isCurrent(folder: string): boolean {
  const built = readManifest(pathToFileURL(`${folder}/`)) as ConsoleManifest | undefined;
  return built?.source === sourceHash();
}
