import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { AuditEntrySchema } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { stringify } from 'csv-stringify/sync';
import { type AuditRow, toAuditEntry } from './entities.ts';

// Export formats: NDJSON with the entries as the API returns them, and CSV for spreadsheets.

export type Format = 'ndjson' | 'csv';

export const contentTypes: Record<Format, string> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
};

const columns = AuditEntrySchema.fields.map((field) => field.jsonName);

/** Renders rows as one part of the export. The first part of a CSV has the header row. */
export function textOf(rows: readonly AuditRow[], format: Format, isFirst: boolean): string {
  const entries = rows.map((row) => encodeJson(AuditEntrySchema, toAuditEntry(row)));
  if (format === 'ndjson') return entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  // Text that a spreadsheet would run as a formula is escaped.
  return stringify(entries.map(cellsOf), {
    header: isFirst,
    columns,
    escape_formulas: true,
    record_delimiter: 'windows',
  });
}

/** A list becomes JSON in its cell. */
const cellsOf = (entry: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [
      name,
      typeof value === 'object' ? JSON.stringify(value) : value,
    ]),
  );
