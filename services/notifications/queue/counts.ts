/** Counts by name, without entries for 0. */
export function createCounts() {
  const counts = new Map<string, number>();
  const of = (name: string) => counts.get(name) ?? 0;
  return {
    of,
    add(name: string, by: number): void {
      const count = of(name) + by;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}
