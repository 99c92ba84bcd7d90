// "did you mean": known names that resemble a mistyped one.

const shown = 5;
const longest = 100;

/** The known names that resemble a name: its beginning or another spelling of it, else the nearest ones. */
export function similarNames(name: string, known: readonly string[]): string[] {
  const wanted = plain(name);
  // Names are short: comparing a long text with each would take long.
  if (wanted === '' || wanted.length > longest) return [];
  const alike = known.filter((one) => plain(one).startsWith(wanted));
  if (alike.length > 0) return alike.slice(0, shown);
  const limit = Math.min(3, Math.floor(wanted.length / 3));
  const near = known
    .map((one) => ({ one, distance: distanceOf(wanted, plain(one)) }))
    .filter(({ distance }) => distance <= limit);
  const nearest = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === nearest)
    .map(({ one }) => one)
    .slice(0, shown);
}

/** The end of an error message about an unknown name. */
export function hintOf(names: readonly string[]): string {
  return names.length === 0 ? '' : `; did you mean ${names.join(', ')}?`;
}

const plain = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');

/** How many letters are missing, too many or different; two exchanged neighbours count as one. */
function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (last[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isExchanged ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
