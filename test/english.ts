import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { countNames } from './identifiers.ts';
import { findRefusals } from './refused-phrases.ts';

// Counts the idioms that make an English sentence hard to read, in comments, test titles and documents, per 1,000 lines of
// each, and the names of values that say no noun, per area. `npm run check` fails above a limit, and
// on a refused phrase in a message or text.
// `node test/english.ts services/access` lists every place below a folder.

const root = path.resolve(import.meta.dirname, '..');
/** Most idioms of one kind per 1,000 lines. */
const limit = 3;

const idioms: Readonly<Record<string, RegExp>> = {
  'an unnamed actor': /\b(who|what|whom)ever\b|\b(some|any|no)body\b/gi,
  '"what is …" as a noun': /(?<=^|[.:;] )What (?![^.]*\?)|\bwhat (is|was|are|were|has|it|they)\b/g,
  '"told"': /\b(told|tells?|telling)\b/gi,
  'an inverted sentence': /(?<=^|[.:;] )(Of|Nor|Also)\b/g,
  '"anew"': /\banew\b/gi,
};

type Line = Readonly<{ file: string; number: number; text: string }>;

const documents = ['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'helm/**/*.md'];
const sources = [
  'proto',
  'packages',
  'services',
  'gateway',
  'console',
  'deploy',
  'site',
  'test',
  'bench',
].map((folder) => `${folder}/**/*.{ts,tsx,mjs,js,proto,css,sh}`);

/** The comment of a line of TypeScript, JavaScript, CSS, proto or shell, or undefined. */
function commentOf(line: string): string | undefined {
  const [, block, after] =
    /^\s*(?:\/\/|\/\*\*?|\*|#)(?:\s+(.*))?$|(?:^|\s)\/\/\s(.*)$/.exec(line) ?? [];
  return (block ?? after)?.replace(/\s*\*\/$/, '');
}

function titleOf(line: string): string | undefined {
  return /\b(?:test|describe|it)\(\s*(['"`])(.*?)\1/.exec(line)?.[2];
}

function linesOf(patterns: readonly string[], select: (line: string) => string | undefined) {
  const exclude = (name: string) => /(^|\/)(node_modules|gen|dist|english\.ts)$/.test(name);
  return globSync([...patterns], { cwd: root, exclude }).flatMap((file): Line[] =>
    readFileSync(path.join(root, file), 'utf8')
      .split('\n')
      .map((line, index) => ({ file, number: index + 1, text: select(line)?.trim() ?? '' }))
      .filter(({ text }) => text !== ''),
  );
}

const kinds: Readonly<Record<string, readonly Line[]>> = {
  comments: linesOf(sources, commentOf),
  'test titles': linesOf(sources, titleOf),
  documents: linesOf(documents, (line) => line),
};

const below = process.argv[2];
let failed = false;
for (const [kind, lines] of Object.entries(kinds)) {
  const chosen = lines.filter(({ file }) => below === undefined || file.startsWith(below));
  for (const [idiom, pattern] of Object.entries(idioms)) {
    const matches = chosen.filter(({ text }) => text.match(pattern) !== null);
    const count = matches.reduce((sum, { text }) => sum + (text.match(pattern)?.length ?? 0), 0);
    const perThousand = chosen.length === 0 ? 0 : (count * 1000) / chosen.length;
    failed ||= perThousand > limit;
    process.stdout.write(
      `${kind.padEnd(12)} ${idiom.padEnd(22)} ${perThousand.toFixed(1).padStart(6)} per 1,000 of ${chosen.length} lines\n`,
    );
    if (below !== undefined)
      for (const { file, number, text } of matches)
        process.stdout.write(`  ${file}:${number} ${text}\n`);
  }
}
for (const { area, kind, perThousand, limit: most, names } of countNames(below)) {
  if (below === undefined) failed ||= perThousand > most;
  else if (names.length === 0) continue;
  process.stdout.write(
    `${area.padEnd(22)} ${kind.padEnd(12)} ${perThousand.toFixed(1).padStart(6)} of at most ${most.toFixed(1)} names per 1,000 lines\n`,
  );
  if (below !== undefined)
    for (const { file, number, text } of names)
      process.stdout.write(`  ${file}:${number} ${text}\n`);
}
for (const { file, number, text, instead } of findRefusals(below)) {
  failed = true;
  process.stdout.write(`${file}:${number} ${text}\n  better: ${instead}\n`);
}
process.exitCode = failed ? 1 : 0;
