import type { TaskOperation } from '@bailiwick/contract';

// The times of a task's attempts.

/**
 * Milliseconds to wait before each attempt, the first included. Its length is the number of
 * attempts.
 */
export type Schedule = readonly number[];

const units: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Parses `0s,5s,1m,2h`. Throws for anything else. */
export function parseSchedule(items: readonly string[]): Schedule {
  if (items.length === 0) throw new Error('needs at least one wait');
  return items.map((wait) => {
    const [, amount, unit] = /^(\d{1,6})([smh])$/.exec(wait) ?? [];
    const factor = units[unit ?? ''];
    if (amount === undefined || factor === undefined)
      throw new Error(`has ${wait}, which is not a wait such as 5s, 1m or 2h`);
    return Number(amount) * factor;
  });
}

/**
 * Mails and chat messages end after six attempts: a mail that arrives hours late is useless, and a
 * chat message is not a record.
 */
export const shortSchedule = (schedule: Schedule): Schedule => schedule.slice(0, 6);

/** The schedules of webhooks and logouts, and of all other tasks. */
export type Schedules = { webhook: Schedule; other: Schedule };

export const scheduleOf = (schedules: Schedules, operation: TaskOperation): Schedule =>
  operation === 'Webhooks_Deliver' || operation === 'AppLogouts_Deliver'
    ? schedules.webhook
    : schedules.other;

const hour = 3_600_000;

/**
 * The wait after attempt `attempt`, undefined if it was the last. Up to 10 % of jitter keeps tasks
 * that failed together from being retried together. A receiver's Retry-After is clamped to [the
 * plain wait, the larger of twice that and an hour].
 */
export function nextWait(
  schedule: Schedule,
  attempt: number,
  random: number,
  requestedMs?: number,
): number | undefined {
  const wait = schedule[attempt];
  if (wait === undefined) return undefined;
  const requested =
    requestedMs === undefined
      ? wait
      : Math.min(Math.max(requestedMs, wait), Math.max(2 * wait, hour));
  return Math.round(requested * (1 + 0.1 * random));
}
