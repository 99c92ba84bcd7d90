import { useNavigate, useSearch } from '@tanstack/react-router';
import { type AuditFilters, type AuditSearch, filterFields, readSearch } from './search.ts';

/** The address of the view, and the ways to change parts of it. */
export function useAuditSearch() {
  const search = readSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const go = (next: AuditSearch, replace = false) =>
    void navigate({ to: '.', search: next as never, replace });
  const { cursor: _cursor, entry: _entry, panel: _panel, ...filters } = search;
  return {
    search,
    isFiltered: filterFields.some((name) => search[name] !== undefined),
    /** Replaces all filters, and goes to the first page. */
    setFilters: (next: AuditFilters) =>
      go(readSearch({ ...next, ...(filters.order && { order: filters.order }) })),
    /** Changes one filter, and goes to the first page. */
    addFilter: (filter: AuditFilters) => go(readSearch({ ...filters, ...filter })),
    /** Takes one filter away, and goes to the first page. */
    removeFilter: (name: keyof AuditFilters) => {
      const { [name]: _removed, ...rest } = filters;
      go(rest);
    },
    setOrder: (order: string) => {
      const { order: _order, ...rest } = filters;
      go(order === 'oldest' ? { ...rest, order } : rest);
    },
    setCursor: (cursor: string, replace = false) =>
      go({ ...filters, ...(cursor !== '' && { cursor }) }, replace),
    /** A row calls it with the search of now, which may be newer than the row. */
    setEntry: (entry: string) =>
      void navigate({
        to: '.',
        search: ((now: Record<string, unknown>) => {
          const { entry: _shown, ...rest } = readSearch(now);
          return entry === '' ? rest : { ...rest, entry };
        }) as never,
      }),
    setVerifying: (isVerifying: boolean) => {
      const { panel: _shown, ...rest } = search;
      go(isVerifying ? { ...rest, panel: 'verify' } : rest);
    },
  };
}
