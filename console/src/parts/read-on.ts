import { useState } from 'react';

/**
 * The cursor of the page that a list reads, which is further on than its place while the pages there
 * have no row to show. `place`: the request and the cursor of the place.
 */
export function useReadOn(place: string, from: string) {
  const [further, setFurther] = useState({ place, cursor: from });
  return {
    cursor: further.place === place ? further.cursor : from,
    readOn: (cursor: string) => setFurther({ place, cursor }),
  };
}
