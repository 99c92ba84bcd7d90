import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { nodesIn, root } from './support/parsing.ts';

// Phrases that the messages of the API and the texts of mails, pages and console do not use, each with
// the words of the field. test/english.ts prints the places and fails on any.

const refused: ReadonlyArray<readonly [phrase: RegExp, instead: string]> = [
  [/\bany ?more\b/, 'no longer'],
  [/\b(?:known|serves?|supported) here\b/, 'unknown, not supported'],
  [/\bgoes on after\b|\bwithout an end\b/, 'unexpected, unterminated'],
  [/\bis no (?:member|valid)\b/, 'is not a member, is not a valid'],
  [/\btoo many [a-z ]+ at once\b/, 'too many concurrent'],
  [/\bmust be a text\b/, 'must be a string'],
  [/\b(?:endpoint|account|key|tenant|user|bot) (?:is|has) gone\b|\bor gone\b/, 'was deleted'],
  [/\bas someone who may\b/, 'a caller who may'],
  [/\b(?:said to be|signed-in person|takes nothing from|belongs? to nobody)\b/, 'a plain sentence'],
  [/\b(?:who|what)ever\b|\b(?:some|any|no)body\b/i, 'the noun: caller, user, person'],
  [/\bmost likely you\b|\bpeople who run\b|\banew\b/i, 'we received a request, support, again'],
];

export type Refusal = { file: string; number: number; text: string; instead: string };

const exclude = (name: string) =>
  /(^|\/)(node_modules|gen|dist|migrations|testing)$|\.test\.ts$|\.d\.ts$/.test(name);

/** The refused phrases in string literals of the product, and in its catalogues of English texts. */
export function findRefusals(below = ''): Refusal[] {
  const sources = globSync('{gateway,packages,services}/**/*.ts', { cwd: root, exclude });
  const catalogues = globSync('packages/texts/locales/en/**/*.json', { cwd: root });
  const chosen = (files: readonly string[]) => files.filter((file) => file.startsWith(below));
  return [...chosen(sources).flatMap(literalsIn), ...chosen(catalogues).flatMap(linesIn)].flatMap(
    (line) => {
      const entry = refused.find(([phrase]) => phrase.test(line.text));
      return entry ? [{ ...line, instead: entry[1] }] : [];
    },
  );
}

type Line = Omit<Refusal, 'instead'>;

/** The texts of several words. A single word is a name. */
const literalsIn = (file: string): Line[] =>
  nodesIn(file).flatMap((node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
    if (!isText || !node.getText().includes(' ')) return [];
    const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
    return [{ file, number: line + 1, text: node.getText().replaceAll(/\s+/g, ' ') }];
  });

/** The values of a catalogue. Its keys are names. */
const linesIn = (file: string): Line[] =>
  readFileSync(path.join(root, file), 'utf8')
    .split('\n')
    .map((line, index) => ({ file, number: index + 1, text: line.replace(/^\s*"[^"]*":\s*/, '') }));
