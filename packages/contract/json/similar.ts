/** Longer names are not compared: the cost is the product of both lengths. */
const maxLength = 64;

/**
 * Suggests the name that `wrong` most likely stands for: equal except for case, `_` and `-`, or at most
 * two edits away. Undefined without a match.
 */
export function similarName(wrong: string, names: readonly string[]): string | undefined {
  if (wrong.length > maxLength) return undefined;
  const plain = simplify(wrong);
  const limit = Math.min(2, Math.floor(plain.length / 3));
  const [best] = names
    .map((name) => ({ name, distance: editDistance(plain, simplify(name)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

const simplify = (name: string) => name.toLowerCase().replace(/[_-]/g, '');

/** The number of edits between two texts: letters added, removed, replaced, or swapped with the next one. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = at(row, column - 1) + Number(from[line - 1] !== to[column - 1]);
      const isSwapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      next.push(
        Math.min(
          replaced,
          at(row, column) + 1,
          at(next, column - 1) + 1,
          isSwapped ? at(before, column - 2) + 1 : Infinity,
        ),
      );
    }
    [before, row] = [row, next];
  }
  return at(row, to.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity;
