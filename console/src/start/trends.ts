import type { ResponseOf } from '@bailiwick/client/client.ts';

type Stats = ResponseOf<'Webhooks_GetStats'>['Days'];

/** Delivered and failed attempts of each day or hour, of webhooks and chat together. */
export function addStats(...areas: ReadonlyArray<Stats | undefined>) {
  const moments = new Map<string, [number, number]>();
  for (const { Start = '', Delivered, Retried, Failed } of areas.flatMap((area) => area ?? [])) {
    const [delivered, failed] = moments.get(Start) ?? [0, 0];
    moments.set(Start, [delivered + Delivered, failed + Retried + Failed]);
  }
  // Two services may have answered on two sides of midnight.
  return [...moments]
    .map(([start, values]) => ({ start, values }))
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start));
}

/** The number at the end of each day, from the number of now and the changes of the days. */
export function levelsOf(now: number, changes: readonly number[]): number[] {
  const levels: number[] = [];
  let level = now;
  for (const change of changes.toReversed()) {
    levels.unshift(level);
    level = Math.max(0, level - change);
  }
  return levels;
}
