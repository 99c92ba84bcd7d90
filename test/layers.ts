import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

// Holds the order of layers that ARCHITECTURE.md writes down: in each line, a name imports only names to its left.
// A line is a folder, a colon, and the names of its subfolders and files, from the lowest layer to the highest.

const root = path.resolve(import.meta.dirname, '..');
const architecture = readFileSync(path.join(root, 'ARCHITECTURE.md'), 'utf8');
const [, block = ''] = /^## Layers\n.*?^```text\n(.*?)^```/ms.exec(architecture) ?? [];
const lines = [...block.matchAll(/^([\w/-]+): +(.+)$/gm)].map(([, folder = '', names = '']) => ({
  folder,
  names: names.trim().split(/[ →]+/),
}));

const isProduct = (file: string) => !/\.test\.ts$|(^|\/)(node_modules|gen|dist)\//.test(file);

/** The name that a path has in its folder's line: the first folder, or the file without its ending. */
const nameOf = (file: string) => (file.split('/')[0] ?? '').replace(/\.(ts|mjs)$/, '');

/** The names of the line that a file imports. Packages import each other by their package names. */
function importsOf(folder: string, file: string): string[] {
  const text = readFileSync(path.join(root, folder, file), 'utf8');
  return [...text.matchAll(/\b(?:from|import\()\s*'([^']+)'/g)].flatMap(([, target = '']) => {
    const [, scoped] = /^@bailiwick\/([\w-]+)/.exec(target) ?? [];
    if (scoped !== undefined) return folder === 'packages' ? [scoped] : [];
    if (!target.startsWith('.')) return [];
    return [nameOf(path.join(path.dirname(file), target))];
  });
}

const problems: string[] = [];
for (const { folder, names } of lines) {
  const files = globSync('**/*.{ts,mjs}', { cwd: path.join(root, folder) }).filter(isProduct);
  for (const file of files) {
    const name = nameOf(file);
    const place = names.indexOf(name);
    if (place < 0) problems.push(`${folder}/${file}: ${name} is missing in the line of ${folder}`);
    for (const target of importsOf(folder, file))
      if (names.indexOf(target) > place)
        problems.push(`${folder}/${file}: ${name} imports ${target}, a higher layer`);
  }
}
if (lines.length < 1) problems.push('ARCHITECTURE.md: the section "Layers" is incomplete');
for (const problem of problems) process.stdout.write(`${problem}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
