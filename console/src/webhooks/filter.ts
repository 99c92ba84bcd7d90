import { type CursorSearch, readCursor } from '../parts/cursor.ts';

/** The results of attempts, as the log can be filtered by them. */
export const outcomes = ['delivered', 'retry', 'failed', 'dropped'] as const;

/** The part of the log's address that says which attempts and which page are shown. */
export type FilterSearch = CursorSearch & { outcome?: string };

export const readFilter = (search: Record<string, unknown>): FilterSearch => {
  const outcome = outcomes.find((one) => one === search['outcome']);
  return { ...readCursor(search), ...(outcome && { outcome }) };
};
