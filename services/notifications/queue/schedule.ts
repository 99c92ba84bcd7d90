import type { TaskOperation } from '@bailiwick/shared/tasks.ts';

// When the attempts of a task take place.

/** Milliseconds to wait before each attempt, from the first. Its length is the number of attempts. */
export type Schedule = readonly number[];

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `0s,5s,1m,2h`. Throws for anything else. */
export function parseSchedule(items: readonly string[]): Schedule {
  if (items.length === 0) throw new Error('needs at least one wait');
  return items.map((item) => {
    const [, amount, unit] = /^(\d{1,6})([smh])$/.exec(item) ?? [];
    const factor = units[unit ?? ''];
    if (amount === undefined || factor === undefined)
      throw new Error(`has ${item}, which is no wait such as 5s, 1m or 2h`);
    return Number(amount) * factor;
  });
}

/** A mail that comes hours late helps nobody, and a chat message is no record: both end after six attempts. */
export const shortSchedule = (schedule: Schedule): Schedule => schedule.slice(0, 6);

/** Of webhooks, and of everything else. */
export type Schedules = { webhook: Schedule; other: Schedule };

export const scheduleOf = (schedules: Schedules, operation: TaskOperation): Schedule =>
  operation === 'Webhooks_Deliver' ? schedules.webhook : schedules.other;

const hour = 3_600_000;

/**
 * How long after attempt `attempt` the next one is made, undefined where it was the last. Up to 10 % more by
 * chance, so that what failed together does not come back together. A receiver's own wish counts within
 * [the plain wait, the larger of twice that and an hour].
 */
export function nextWait(
  schedule: Schedule,
  attempt: number,
  random: number,
  wishedMs?: number,
): number | undefined {
  const wait = schedule[attempt];
  if (wait === undefined) return undefined;
  const wished =
    wishedMs === undefined ? wait : Math.min(Math.max(wishedMs, wait), Math.max(2 * wait, hour));
  return Math.round(wished * (1 + 0.1 * random));
}
