/** Characters of one record: more than any user has. A missing quote would make one of the whole file. */
export const maxRecord = 1024 * 1024;

export type Json = Readonly<Record<string, unknown>>;

/**
 * A record of a file, and the line that it is in. A text that is no record has a problem and an empty
 * record. A row with too few columns is one too, since any of its values may be the password hash.
 */
export type FileRecord = { line: number; record: Json; problem?: string; text?: string };

/** The separators of columns: programs of many languages write a semicolon. */
const delimiters = [',', ';', '\t'] as const;

/** The separator that the first line has most of, outside of quotes. */
export function delimiterOf(head: string): string {
  const [line = ''] = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/, 1);
  const count = (delimiter: string) => line.split(delimiter).length;
  return delimiters.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** The options of csv-parse. Its first line names the columns. */
export const csvOptions = {
  columns: true,
  bom: true,
  skipEmptyLines: true,
  relaxColumnCount: true,
  trim: true,
  info: true,
  maxRecordSize: maxRecord,
} as const;

/** A row as csv-parse returns it: `error` if it has too many or few columns. */
type CsvRow = { record: Json; info: { lines: number; error?: unknown } };

export const readCsvRow = ({ record, info: { lines, error } }: CsvRow): FileRecord =>
  error === undefined
    ? { line: lines, record }
    : {
        line: lines,
        record: {},
        problem: `line ${lines} has more or fewer columns than the first line`,
        text: JSON.stringify(record).slice(0, 1000),
      };

/** A line of JSON Lines, or the text of one object. */
export function readJsonLine(text: string, line: number): FileRecord {
  try {
    const json: unknown = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json))
      return { line, record: json as Json };
  } catch {
    // Not JSON.
  }
  return { line, record: {}, problem: 'this is not a JSON object', text: text.slice(0, 1000) };
}
