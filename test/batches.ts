import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

// Which files of a lane share a process, and in which order they run. A process that calls the
// product loads the registry of operations, which takes half a second of CPU, so short files share
// one. A file that takes more than 20 s says so in its first line, with the reason:
//
//   // 40 s: starts the product three times.
//
// It has a process of its own and begins first, so that no core is idle at the end.

const root = path.resolve(import.meta.dirname, '..');
/** Few enough that the last batches of a lane end at about the same time. */
const batchSize = 5;
const statedTime = /^\/\/ (\d+) s: \S/;
/** The hooks of a file would apply to all files of its process. */
const hookOfFile = /^(before|after)(Each)?\(/m;

/** The files, in the order in which they are to begin, and those of each process. */
export function batchesOf(files: readonly string[]): string[][] {
  const timed = files.map((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return { file, seconds: Number(statedTime.exec(text)?.[1] ?? 0), alone: hookOfFile.test(text) };
  });
  const slow = timed.filter(({ seconds }) => seconds > 0).sort((a, b) => b.seconds - a.seconds);
  const rest = timed.filter(({ seconds }) => seconds === 0);
  const short = rest.filter(({ alone }) => !alone).map(({ file }) => file);
  return [
    ...[...slow, ...rest.filter(({ alone }) => alone)].map(({ file }) => [file]),
    ...Array.from({ length: Math.ceil(short.length / batchSize) }, (_, index) =>
      short.slice(index * batchSize, (index + 1) * batchSize),
    ),
  ];
}

/** Writes a program for each batch, which node's test runner runs in the order of their names. */
export function writePrograms(batches: readonly string[][], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return batches.map((files, index) => {
    const name = `${String(index).padStart(3, '0')} ${files[0]?.replaceAll(path.sep, ' ')}.mjs`;
    const program = path.join(folder, name);
    writeFileSync(
      program,
      `import { importFiles } from ${JSON.stringify(import.meta.url)};\nawait importFiles(${JSON.stringify(files)});\n`,
    );
    return program;
  });
}

/**
 * Imports test files, which runs them. They wait for the first test: the runner ends a process that
 * has no test to run for a moment, even while it is importing the next file. After the deadline of the
 * lane it notes the files instead.
 */
export async function importFiles(files: readonly string[]): Promise<void> {
  const { BAILIWICK_TEST_DEADLINE: deadline, BAILIWICK_TEST_LEFT: leftFile = '' } = process.env;
  if (deadline !== undefined && Date.now() > Number(deadline)) {
    appendFileSync(leftFile, files.map((file) => `${file}\n`).join(''));
    for (const file of files) test(file, { skip: 'after the deadline of the lane' });
    return;
  }
  const imported = Promise.withResolvers<void>();
  test('every file with tests can be imported', () => imported.promise);
  for (const file of files) await import(pathToFileURL(path.join(root, file)).href);
  imported.resolve();
}
