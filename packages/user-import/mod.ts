export { batches } from './batches.ts';
export { ImportError } from './error.ts';
export {
  csvOptions,
  type FileRecord,
  type Json,
  maxRecord,
  readCsvRow,
  readJsonLine,
} from './records.ts';
export { isSent, type Row, readRow, type Sent, type Unsent } from './rows.ts';
export { type Sender, sendUsers } from './send.ts';
export { columns, csv, isColumn, isField, jsonl, type Read } from './users.ts';
export { isTrue, object, text, texts } from './values.ts';
