import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import {
  csvOptions,
  delimiterOf,
  type FileRecord,
  ImportError,
  maxRecord,
  readCsvRow,
  readJsonLine,
} from '../../client/import/mod.ts';
import { Refusal } from '../failure.ts';
import { say } from '../output.ts';
import { printable } from '../text.ts';
import { encodingOf, headOf, textOf } from './encoding.ts';
import { jsonRecords } from './json-records.ts';
import type { Source } from './source.ts';

/** The records of a file, one after the other. `read` gets the bytes that were read so far. */
export async function* readRecords(
  file: string,
  { form, headProblem }: Pick<Source, 'form' | 'headProblem'>,
  read: (bytes: number) => void,
): AsyncGenerator<FileRecord> {
  try {
    const encoding = await encodingOf(file);
    if (encoding !== 'utf-8') say(`${printable(file)} is not UTF-8: it is read as ${encoding}`);
    const head = await headOf(file, encoding);
    const pieces = textOf(file, encoding, read);
    if (form === 'csv') {
      if (/^\s*[[{]/.test(head)) throw new ImportError('this is JSON, and not CSV');
      yield* csvRecords(pieces, delimiterOf(head), headProblem);
    } else {
      const isLines = form === 'lines' && !/^\s*\[/.test(head);
      if (!/^\s*([[{]|$)/.test(head)) throw new ImportError('this is not JSON');
      if (isLines) yield* lineRecords(pieces);
      else
        for await (const { text, line } of jsonRecords(pieces, form === 'lines' ? [''] : form))
          yield readJsonLine(text, line);
    }
  } catch (error) {
    throw explained(file, error);
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
    code.startsWith('CSV_') || error instanceof ImportError
      ? `${file}: ${error.message}`
      : `${file} cannot be read (${code || error.message})`,
  );
}

async function* csvRecords(
  pieces: AsyncIterable<string>,
  delimiter: string,
  headProblem: Source['headProblem'],
): AsyncGenerator<FileRecord> {
  const columns = (names: string[]) => {
    const problem = headProblem?.(names);
    if (problem !== undefined) throw new ImportError(problem);
    return names;
  };
  const text = Readable.from(pieces);
  const rows = text.pipe(parse({ ...csvOptions, columns, delimiter }));
  text.once('error', (error) => rows.destroy(error));
  for await (const row of rows as AsyncIterable<Parameters<typeof readCsvRow>[0]>)
    yield readCsvRow(row);
}

/** The records of the lines. JSON may have other line separators inside of its texts. */
async function* lineRecords(pieces: AsyncIterable<string>): AsyncGenerator<FileRecord> {
  let [rest, count] = ['', 0];
  for await (const piece of pieces) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      count++;
      if (text.trim() !== '') yield readJsonLine(text, count);
    }
    if (rest.length > maxRecord) throw new Refusal(`line ${count + 1} is larger than 1 MiB`);
  }
  if (rest.trim() !== '') yield readJsonLine(rest, count + 1);
}
