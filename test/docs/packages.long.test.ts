import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { after, test } from 'node:test';

// The README of each package has examples. All are type-checked. An example that is followed by its
// output is also run.

const root = path.resolve(import.meta.dirname, '../..');
const readmes = globSync('packages/*/mod.ts', { cwd: root })
  .map((face) => path.join(path.dirname(face), 'README.md'))
  .sort();

// Hidden, so that no check of the workspace sees it; in this workspace, to find its packages.
const folder = mkdtempSync(path.join(import.meta.dirname, '.examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

type Example = { name: string; file: string; output: string | undefined };

function writeExamples(readme: string): Example[] {
  const name = path.basename(path.dirname(readme));
  const blocks = /```ts\n([^]*?)```\n(?:\n```text\n([^]*?)```\n)?/g;
  const text = readFileSync(path.join(root, readme), 'utf8');
  return [...text.matchAll(blocks)].map(([, code = '', output], index) => {
    assert.match(code, new RegExp(`from '@bailiwick/${name}'`));
    const file = path.join(folder, `${name}-${index}.ts`);
    writeFileSync(file, code);
    return { name, file, output };
  });
}

const examples = readmes.flatMap(writeExamples);

test('every package has a README with an example', () => {
  const names = new Set(examples.map(({ name }) => name));
  assert.deepEqual([...names], [...new Set(readmes.map((readme) => readme.split(path.sep)[1]))]);
});

test('the examples of the packages compile', () => {
  const config = { extends: path.join(root, 'tsconfig.json'), include: ['*.ts'], exclude: [] };
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config));
  run(path.join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', folder]);
});

for (const { name, file, output } of examples)
  if (output !== undefined)
    test(`the example of ${name} prints what its README shows`, () => {
      assert.equal(run(process.execPath, [file]), output);
    });

function run(command: string, args: readonly string[]): string {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  return execFileSync(command, args, { cwd: folder, env, encoding: 'utf8' });
}
