export type Unit = 'minute' | 'hour' | 'day';

/** Minutes in each unit. */
export const minutes = { minute: 1, hour: 60, day: 1440 } as const;

/** Days are the only unit of settings that count days. */
export const days = { day: 1 } as const;

/** The largest unit in which a length of time is a whole number. */
export function unitOf(value: number, units: Readonly<Partial<Record<Unit, number>>>): Unit {
  const sizes = Object.entries(units).sort(([, one], [, other]) => other - one);
  const [whole] = sizes.find(([, size]) => value % size === 0) ?? sizes.at(-1) ?? ['minute'];
  return whole as Unit;
}
