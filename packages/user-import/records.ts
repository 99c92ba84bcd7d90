/** Characters of one record: more than any user has. A missing quote would make one of the whole file. */
export const maxRecord = 1024 * 1024;

export type Json = Readonly<Record<string, unknown>>;

/** A record of a file; a text that is no record has a problem instead. */
export type FileRecord = { record: Json } | { problem: string; text: string };

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

export const readCsvRow = ({ record, info }: CsvRow): FileRecord =>
  info.error === undefined
    ? { record }
    : {
        problem: `line ${info.lines} has more or fewer columns than the first line`,
        text: JSON.stringify(record).slice(0, 1000),
      };

/** A line of JSON Lines, or the text of one object. */
export function readJsonLine(text: string): FileRecord {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { record: value as Json };
  } catch {
    // Not JSON.
  }
  return { problem: 'this is not a JSON object', text: text.slice(0, 1000) };
}
