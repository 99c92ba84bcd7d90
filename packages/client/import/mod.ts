export { batches } from './batches.ts';
export { ImportError } from './error.ts';
export {
  csvOptions,
  delimiterOf,
  type FileRecord,
  type Json,
  maxRecord,
  readCsvRow,
  readJsonLine,
} from './records.ts';
export {
  codeOf,
  failedLine,
  isSent,
  lackOfPassword,
  lacks,
  passwordlessLine,
  type Row,
  readRow,
} from './rows.ts';
export { type Sender, sendUsers } from './send.ts';
export {
  columns,
  csv,
  headProblem,
  isColumn,
  isField,
  jsonl,
  type Read,
  type Reading,
} from './users.ts';
export { flagProblems, isFalse, isTrue, object, text, texts } from './values.ts';
