import { useState } from 'react';

/** The most pages without a row to show that a list passes over by itself. */
const mostPages = 10;

/**
 * The cursor of the page that a list reads. It begins at the place of the list, and moves on while
 * the pages have no row to show. `place`: the request and the cursor of the place.
 */
export function useReadOn(place: string, from: string) {
  const start = { place, cursor: from, pages: 0 };
  const [stored, setStored] = useState(start);
  const { cursor, pages } = stored.place === place ? stored : start;
  return {
    cursor,
    mayReadOn: pages < mostPages,
    readOn: (next: string) => setStored({ place, cursor: next, pages: pages + 1 }),
  };
}
