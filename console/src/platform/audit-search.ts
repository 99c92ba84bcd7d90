import { useNavigate, useSearch } from '@tanstack/react-router';
import { type CursorSearch, readCursor } from '../parts/cursor.ts';

// The filters of the platform's audit, as they stand in the address of the view.

/** The periods that end now, in hours. */
export const periods = { hour: 1, day: 24, week: 168, month: 720 } as const;

export type Period = keyof typeof periods;

export type AuditSearch = CursorSearch & {
  /** The ID of a user or bot. */
  actor?: string;
  /** The beginning of an action. */
  action?: string;
  period?: Period;
};

const isPeriod = (input: unknown): input is Period =>
  typeof input === 'string' && Object.hasOwn(periods, input);

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  const { actor, action, period } = search;
  return {
    ...readCursor(search),
    ...(typeof actor === 'string' && actor !== '' && { actor }),
    ...(typeof action === 'string' && action !== '' && { action }),
    ...(isPeriod(period) && { period }),
  };
}

/** The search in the address, and the ways to another one. */
export function useAuditSearch() {
  const search = readAuditSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (next: Record<string, unknown>, replace = false) =>
    void navigate({ to: '.', search: readAuditSearch(next) as never, replace });
  const { cursor: _cursor, ...filters } = search;
  return {
    search,
    isFiltered: Object.keys(filters).length > 0,
    /** Changes filters, and goes to the first page. */
    change: (next: Partial<Record<keyof AuditSearch, string>>) => go({ ...filters, ...next }),
    clear: () => go({}),
    setCursor: (cursor: string, replace = false) => go({ ...filters, cursor }, replace),
  };
}
