import {
  csv,
  csvOptions,
  delimiterOf,
  type FileRecord,
  isColumn,
  isField,
  type Json,
  jsonl,
  maxRecord,
  type Read,
  readCsvRow,
  readJsonLine,
} from '@bailiwick/client/import/mod.ts';
import { CsvError, parse } from 'csv-parse/browser/esm/sync';
import type { TextKey } from '../../parts/text-keys.ts';

// Reads a chosen file. It is held in memory, so its size is limited: `bailiwick import` reads others.

export const maxRows = 10_000;
const maxBytes = 10 * 1024 * 1024;

type Format = 'csv' | 'jsonl';

export type UserFile = {
  name: string;
  read: Read;
  records: readonly FileRecord[];
};

/** Why a file cannot be imported. */
export type FileProblem = { key: TextKey; values?: Record<string, string> };

export async function readUserFile(file: File): Promise<UserFile | FileProblem> {
  const format = formatOf(file.name);
  if (format === undefined) return { key: 'import.unknownFormat' };
  if (file.size > maxBytes) return { key: 'import.tooLarge' };
  const text = await textOf(file);
  if (typeof text !== 'string') return text;
  const records = format === 'csv' ? readCsv(text) : readLines(text);
  if ('key' in records) return records;
  const problem = problemIn(records, format);
  return problem ?? { name: file.name, read: format === 'csv' ? csv : jsonl, records };
}

/** The format of a file by its name; undefined for others. */
export function formatOf(name: string): Format | undefined {
  if (/\.csv$/i.test(name)) return 'csv';
  return /\.(jsonl|ndjson)$/i.test(name) ? 'jsonl' : undefined;
}

/** Names in another encoding would be imported with wrong letters. */
async function textOf(file: File): Promise<string | FileProblem> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
  } catch (error) {
    return { key: error instanceof TypeError ? 'import.notUtf8' : 'import.unreadable' };
  }
}

function readCsv(text: string): FileRecord[] | FileProblem {
  try {
    const rows: unknown = parse(text, {
      ...csvOptions,
      delimiter: delimiterOf(text.slice(0, maxRecord)),
    });
    return (rows as Array<Parameters<typeof readCsvRow>[0]>).map(readCsvRow);
  } catch (error) {
    // The message may quote a part of a password hash.
    const line = error instanceof CsvError ? Number(error['lines'] ?? 1) : 1;
    return { key: 'import.brokenCsv', values: { line: String(line) } };
  }
}

function readLines(text: string): FileRecord[] | FileProblem {
  const lines = text.split('\n').map((line, index) => ({ line: index + 1, text: line }));
  const long = lines.find((one) => one.text.length > maxRecord);
  if (long) return { key: 'import.longLine', values: { line: String(long.line) } };
  return lines
    .filter((one) => one.text.trim() !== '')
    .map((one) => readJsonLine(one.text, one.line));
}

function problemIn(records: readonly FileRecord[], format: Format): FileProblem | undefined {
  if (records.length === 0) return { key: 'import.empty' };
  if (records.length > maxRows) return { key: 'import.tooLarge' };
  const read = records.filter(({ text }) => text === undefined).map(({ record }) => record);
  // Without a line of names the columns are called like the first user, and nothing of it is shown.
  if (format === 'csv' && read.some((record) => !('Email' in record)))
    return { key: 'import.noEmail' };
  const unknown = unknownIn(read, format === 'csv' ? isColumn : isField);
  if (unknown.length === 0) return undefined;
  return { key: 'import.unknownColumns', values: { columns: unknown.join(', ') } };
}

/** The names that no field has, in any record with a value. The service would refuse each of these users. */
function unknownIn(records: readonly Json[], isKnown: (name: string) => boolean): string[] {
  const names = new Set<string>();
  for (const record of records)
    for (const [name, value] of Object.entries(record))
      if (value !== '' && !isKnown(name)) names.add(name);
  return [...names].slice(0, 10).map((name) => name.slice(0, 60));
}
