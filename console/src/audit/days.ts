import type { Entry } from '../parts/audit-entry.tsx';

/** The days of entries in their order, each with its entries. */
export function byDay(
  entries: readonly Entry[],
  dayOf: (at: string) => string,
): Array<{ day: string; entries: Entry[] }> {
  const days: Array<{ day: string; entries: Entry[] }> = [];
  for (const entry of entries) {
    const day = dayOf(entry.OccurredAt ?? '');
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}
