import process from 'node:process';
import { exitCodes } from './failure.ts';
import { aligned, cell, printable, table } from './text.ts';

let closed = false;

/** Whether stdout is closed, so that the rest of the response need not be read. */
export const isClosed = (): boolean => closed;

/**
 * Handles errors of stdout. When a reader such as `head` closes the pipe, the command completes its changes without
 * writing, and it is not an error. A failed write, such as on a full disk, is an error.
 */
export function watchOutput(): void {
  process.stdout.on('error', ({ code = 'unknown' }: NodeJS.ErrnoException) => {
    if (!closed && code !== 'EPIPE') {
      say(`bailiwick: the response cannot be written (${code})`);
      process.exitCode = exitCodes.failed;
    }
    closed = true;
  });
  // If stderr fails too, there is no place left to report to.
  process.stderr.on('error', () => {});
}

/** Writes a line of the response to stdout. */
export const print = (text: string): void => void (closed || process.stdout.write(`${text}\n`));
/** Writes a message to stderr. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);

type Json = Readonly<Record<string, unknown>>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecordList = (value: unknown): value is Json[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** Prints the items of a list: records as a table, texts one per line. For an empty list, prints "none" to stderr. */
export function printItems(items: readonly unknown[], tenant?: string): void {
  if (items.length === 0) return say('none');
  print(items.every(isRecord) ? table(items, tenant) : items.map(cell).join('\n'));
}

/** Prints a response: its values line by line, then its lists of records. */
export function printAnswer(answer: Json, tenant?: string): void {
  const lists: Array<[string, Json[]]> = [];
  const lines = flatten(answer, '', lists);
  if (lines.length > 0) print(aligned(lines));
  for (const [name, items] of lists) print(`\n${printable(name)}\n${table(items, tenant)}`);
}

/** Maps and lists of texts stay on one line. Nested records get a path. */
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
