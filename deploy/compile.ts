import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { root } from './local/paths.ts';

// Compiles the package in the current folder to its dist/, before npm packs it. The bootstrap
// installs the workspace first, so that `npm pack` works in a fresh clone.

rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  [path.join(root, 'node_modules/typescript/bin/tsc'), '--project', 'tsconfig.json'],
  {
    stdio: ['ignore', 2, 'inherit'],
  },
);
process.exit(status ?? 1);
