import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';

// npm run check: all static checks. Runs every check, then lists the failed ones.

const root = path.resolve(import.meta.dirname, '..');
const bin = (name: string) => path.join(root, 'node_modules/.bin', name);
const node = process.execPath;

const checks: ReadonlyArray<{ name: string; command: string; args: readonly string[] }> = [
  { name: 'generated files are current', command: node, args: ['deploy/generate.ts', '--check'] },
  { name: 'proto is compatible with the last release', command: node, args: ['test/breaking.ts'] },
  { name: 'layers', command: node, args: ['test/layers.ts'] },
  { name: 'plain English', command: node, args: ['test/english.ts'] },
  { name: 'types', command: bin('tsc'), args: ['--noEmit', '-p', '.'] },
  { name: 'types of the console', command: bin('tsc'), args: ['--noEmit', '-p', 'console'] },
  { name: 'types of the pages', command: bin('tsc'), args: ['--noEmit', '-p', 'gateway/pages'] },
  {
    name: 'lint',
    command: bin('oxlint'),
    args: [
      '--type-aware',
      'proto',
      'packages',
      'services',
      'gateway',
      'console',
      'deploy',
      'site',
      'test',
      'bench',
    ],
  },
  {
    name: 'unused files, exports and dependencies',
    command: node,
    args: ['node_modules/knip/bin/knip.js', '--no-progress', '--no-config-hints'],
  },
  { name: 'format and import order', command: bin('biome'), args: ['check', '.'] },
];

const failed = checks.filter(({ name, command, args }) => {
  process.stdout.write(`\n# ${name}\n`);
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status !== 0;
});
process.stdout.write(
  failed.length === 0
    ? '\nall checks passed\n'
    : `\nfailed: ${failed.map(({ name }) => name).join(', ')}\n`,
);
process.exit(failed.length === 0 ? 0 : 1);
