import process from 'node:process';
import { exitCodes } from './failure.ts';
import { aligned, cell, printable, table } from './text.ts';

let refused = false;

/** Whether the answer goes nowhere any more: nothing of it need be read. */
export const isRefused = (): boolean => refused;

/**
 * `bailiwick … | head` has read enough, which is no failure, and leaves no change half made: the command goes on to its
 * end without writing. An answer that found no room is one.
 */
export function watchOutput(): void {
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (!refused && code !== 'EPIPE') {
      say(`bailiwick: the answer cannot be written (${code})`);
      process.exitCode = exitCodes.failed;
    }
    refused = true;
  });
  // Nobody is left who could be told.
  process.stderr.on('error', () => {});
}

/** Writes a line of the answer. */
export const print = (text: string): void => void (refused || process.stdout.write(`${text}\n`));
/** Says something about it, beside the answer. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecordList = (value: unknown): value is Json[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** Items of a list: records as a table, texts one a line. That there are none is said, and no answer. */
export function printItems(items: readonly unknown[]): void {
  if (items.length === 0) return say('none');
  print(items.every(isRecord) ? table(items) : items.map(cell).join('\n'));
}

/** An answer: its values line by line, and below them the lists of records it holds. */
export function printAnswer(answer: Json): void {
  const lists: Array<[string, Json[]]> = [];
  const lines = flatten(answer, '', lists);
  if (lines.length > 0) print(aligned(lines));
  for (const [name, items] of lists) print(`\n${printable(name)}\n${table(items)}`);
}

/** Maps and texts in lists stay on their line; records in records get a path. */
function flatten(record: Json, prefix: string, lists: Array<[string, Json[]]>): string[][] {
  return Object.entries(record).flatMap(([key, value]) => {
    const path = `${prefix}${key}`;
    if (isRecordList(value)) {
      lists.push([path, value]);
      return [];
    }
    if (isRecord(value) && key !== 'Metadata') return flatten(value, `${path}.`, lists);
    return [[printable(path), value === null ? '(none)' : cell(value)]];
  });
}
