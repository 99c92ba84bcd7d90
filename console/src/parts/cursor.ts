import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';

/** The part of a list's address that says which page is shown. */
export type CursorSearch = { cursor?: string };

export const readCursor = ({ cursor }: Record<string, unknown>): CursorSearch =>
  typeof cursor === 'string' && cursor !== '' ? { cursor } : {};

/** The page of a list that is shown, and the way to others. */
export type CursorPlace = { cursor: string; onCursor: (cursor: string) => void };

/** The cursor in the view's address, so that a page of a list can be shared, and the way to others. */
export function useCursor(): CursorPlace {
  const { cursor = '', ...rest }: CursorSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    cursor,
    onCursor: (next) =>
      void navigate({ to: '.', search: { ...rest, ...readCursor({ cursor: next }) } as never }),
  };
}

/** The cursor of a list that is one part of a view. The address does not have it. */
export function usePartCursor(): CursorPlace {
  const [cursor, onCursor] = useState('');
  return { cursor, onCursor };
}
