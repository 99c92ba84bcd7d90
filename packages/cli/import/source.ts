import type { Read } from '../../client/import/mod.ts';

export type Source = {
  /** How the file is cut into records: its lines, the rows of CSV, or the items of lists in JSON. */
  form: 'lines' | 'csv' | readonly string[];
  read: Read;
  /** The fault of the names of the columns; undefined for right ones. */
  headProblem?: (names: readonly string[]) => string | undefined;
};
