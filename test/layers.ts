import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { importsOf, root } from './support/parsing.ts';

// Holds the order of layers that ARCHITECTURE.md writes down: in each line, a name imports only names to its left.
// A line is a folder, a colon, and the names of its subfolders and files, from the lowest layer to the highest.

const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const [, block = ''] = /^## Layers\n.*?^```text\n(.*?)^```/ms.exec(architecture) ?? [];
const lines = [...block.matchAll(/^([\w/-]+): +(.+)$/gm)].map(([, folder = '', names = '']) => ({
  folder,
  names: names.trim().split(/[ →]+/),
}));

const isProduct = (file: string) =>
  !/\.test\.ts$|\.d\.ts$|(^|\/)(node_modules|gen|dist)\//.test(file);

/** The name that a path has in its folder's line: the first folder, or the file without its ending. */
const nameOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.(tsx?|mjs)$/, '');

/** The names of the line that a file imports. Packages import each other by their package names. */
const targetsOf = (folder: string, file: string): string[] =>
  importsOf(path.join(folder, file)).flatMap(({ from }) => {
    const [, scoped] = /^@bailiwick\/([\w-]+)/.exec(from) ?? [];
    if (scoped !== undefined) return folder === 'packages' ? [scoped] : [];
    if (!from.startsWith('.')) return [];
    return [nameOf(path.join(path.dirname(file), from))];
  });

const problems: string[] = [];
for (const { folder, names } of lines) {
  const files = globSync('**/*.{ts,tsx,mjs}', { cwd: path.join(root, folder) }).filter(isProduct);
  for (const file of files) {
    const name = nameOf(file);
    const place = names.indexOf(name);
    if (place < 0) problems.push(`${folder}/${file}: ${name} is missing in the line of ${folder}`);
    for (const target of targetsOf(folder, file))
      if (names.indexOf(target) > place)
        problems.push(`${folder}/${file}: ${name} imports ${target}, a higher layer`);
  }
}
if (lines.length < 5) problems.push('ARCHITECTURE.md: the section "Layers" is incomplete');
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
