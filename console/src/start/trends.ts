import type { ResponseOf } from '@bailiwick/client/client.ts';

type Stats = ResponseOf<'Webhooks_GetStats'>['Days'];

/** Delivered and failed attempts of each day or hour, of webhooks and chat together. */
export function addStats(one: Stats | undefined, other: Stats | undefined) {
  return (one ?? other ?? []).map(({ Start }, at) => {
    const both = [one?.[at], other?.[at]];
    const total = (count: (stats: Stats[number]) => number) =>
      both.reduce((sum, stats) => sum + (stats ? count(stats) : 0), 0);
    return {
      start: Start,
      values: [
        total(({ Delivered }) => Delivered),
        total(({ Retried, Failed }) => Retried + Failed),
      ],
    };
  });
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

export const sumOf = (values: readonly number[]): number =>
  values.reduce((total, value) => total + value, 0);
