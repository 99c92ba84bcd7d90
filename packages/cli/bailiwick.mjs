#!/usr/bin/env node
// The command `bailiwick`: the compiled tool of the package or, in the workspace, its sources.
import { existsSync } from 'node:fs';
import process from 'node:process';

const bootstrap = new URL('../../deploy/local/bootstrap.mjs', import.meta.url);

if (existsSync(new URL('main.ts', import.meta.url))) {
  process.argv.splice(2, 0, 'packages/cli/main.ts');
  await import(bootstrap.href);
} else {
  await import('./dist/cli/main.js');
}
