// "did you mean": known names that resemble a mistyped one.

const maxSuggestions = 5;
const longest = 100;

/** The known names that resemble a name: its beginning or another spelling of it, else the nearest ones. */
export function similarNames(name: string, names: readonly string[]): string[] {
  const plainName = plain(name);
  // Names are short: comparing a long text with each would take long.
  if (plainName === '' || plainName.length > longest) return [];
  const alike = names.filter((one) => plain(one).startsWith(plainName));
  if (alike.length > 0) return alike.slice(0, maxSuggestions);
  const limit = Math.min(3, Math.floor(plainName.length / 3));
  const near = names
    .map((one) => ({ one, distance: distanceOf(plainName, plain(one)) }))
    .filter(({ distance }) => distance <= limit);
  const nearest = Math.min(...near.map(({ distance }) => distance));
  return near
    .filter(({ distance }) => distance === nearest)
    .map(({ one }) => one)
    .slice(0, maxSuggestions);
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
