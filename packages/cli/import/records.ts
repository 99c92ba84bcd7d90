import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import {
  csvOptions,
  type FileRecord,
  maxRecord,
  readCsvRow,
  readJsonLine,
} from '../../user-import/mod.ts';
import { Refusal } from '../failure.ts';
import { jsonRecords } from './json-records.ts';
import type { Source } from './sources.ts';

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
      for await (const text of jsonRecords(stream.setEncoding('utf8'), form))
        yield readJsonLine(text);
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

async function* csvRecords(stream: Readable): AsyncGenerator<FileRecord> {
  const rows = stream.pipe(parse(csvOptions));
  stream.once('error', (error) => rows.destroy(error));
  for await (const row of rows as AsyncIterable<Parameters<typeof readCsvRow>[0]>)
    yield readCsvRow(row);
}

async function* lineRecords(stream: Readable): AsyncGenerator<FileRecord> {
  for await (const line of linesOf(stream)) if (line.trim() !== '') yield readJsonLine(line);
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
