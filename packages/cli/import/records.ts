import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { Refusal } from '../failure.ts';
import { jsonRecords } from './json-records.ts';
import type { Json, Source } from './sources.ts';

/** Bytes of one record: more than any user has. A missing quote would make one of the whole file. */
const maxRecord = 1024 * 1024;

/** A record of the file; a text that is no record has a problem instead. */
export type FileRecord = { record: Json } | { problem: string; text: string };

/** The records of a file, one after the other. `read` gets the bytes that were read so far. */
export async function* readRecords(
  file: string,
  form: Source['form'],
  read: (bytes: number) => void,
): AsyncGenerator<FileRecord> {
  const stream = createReadStream(file);
  let bytes = 0;
  stream.on('data', (piece) => read((bytes += piece.length)));
  try {
    if (form === 'csv') yield* csvRecords(stream);
    else if (form === 'lines') yield* lineRecords(stream);
    else
      for await (const text of jsonRecords(stream.setEncoding('utf8'), form)) yield readJson(text);
  } catch (error) {
    throw explained(file, error);
  } finally {
    stream.destroy();
  }
}

export async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw explained(file, error);
  }
}

function explained(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Refusal) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  return new Refusal(
    code.startsWith('CSV_')
      ? `${file}: ${error.message}`
      : `${file} cannot be read (${code || error.message})`,
  );
}

/** A row of CSV as the parser returns it with `info`: `error` if it has too many or few columns. */
type CsvRow = { record: Json; info: { lines: number; error?: unknown } };

async function* csvRecords(stream: Readable): AsyncGenerator<FileRecord> {
  const rows = stream.pipe(
    parse({
      columns: true,
      bom: true,
      skipEmptyLines: true,
      relaxColumnCount: true,
      trim: true,
      info: true,
      maxRecordSize: maxRecord,
    }),
  );
  stream.once('error', (error) => rows.destroy(error));
  for await (const { record, info } of rows as AsyncIterable<CsvRow>)
    if (info.error === undefined) yield { record };
    else
      yield {
        problem: `line ${info.lines} has more or fewer columns than the first line`,
        text: JSON.stringify(record).slice(0, 1000),
      };
}

async function* lineRecords(stream: Readable): AsyncGenerator<FileRecord> {
  for await (const line of linesOf(stream)) if (line.trim() !== '') yield readJson(line);
}

/** The lines of a file. JSON may have other line separators inside of its texts. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let [rest, count] = ['', 0];
  for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    count += lines.length;
    if (rest.length > maxRecord) throw new Refusal(`line ${count + 1} is larger than 1 MiB`);
  }
  yield rest;
}

function readJson(text: string): FileRecord {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { record: value as Json };
  } catch {
    // Not JSON.
  }
  return { problem: 'this is not a JSON object', text: text.slice(0, 1000) };
}
