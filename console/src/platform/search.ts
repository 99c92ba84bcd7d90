import { useNavigate, useSearch } from '@tanstack/react-router';

/** The search in a view's address. */
type Search = { query?: string; status?: string };

export const readSearch = ({ query, status }: Record<string, unknown>): Search => ({
  ...(typeof query === 'string' && query !== '' && { query }),
  ...(typeof status === 'string' && status !== '' && { status }),
});

/** The search in the view's address, and the way to another one, which begins at the first page. */
export function useSearchText() {
  const { query = '', status = '' } = useSearch({ strict: false });
  const navigate = useNavigate();
  const search = (next: Search) =>
    void navigate({ to: '.', search: readSearch({ query, status, ...next }) as never });
  return { query, status, search };
}
