import { type AuditFilters, filterFields, readSearch } from './search.ts';

export type SavedView = { name: string; filters: AuditFilters };

export const filtersIn = (search: Record<string, unknown>): AuditFilters => {
  const input = readSearch(search);
  return Object.fromEntries(
    filterFields.flatMap((field) => (input[field] === undefined ? [] : [[field, input[field]]])),
  );
};

/** The stored text may be of an older console, or of another hand. */
export function parseViews(text: string): SavedView[] {
  try {
    const stored: unknown = JSON.parse(text);
    return (Array.isArray(stored) ? stored : []).flatMap((one: Partial<SavedView> | null) =>
      typeof one?.name === 'string' && typeof one.filters === 'object' && one.filters !== null
        ? [{ name: one.name, filters: filtersIn(one.filters) }]
        : [],
    );
  } catch {
    return [];
  }
}
