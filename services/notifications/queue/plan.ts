import type { Status } from '../sending/outcome.ts';
import { nextWait, type Schedule } from './schedule.ts';

/** What becomes of a task after an attempt: nothing is left to do, it waits for another, or it is a dead letter. */
export type Plan = { state: 'done' } | { state: 'dead' } | { state: 'waiting'; dueAt: Date };

export type PlanInput = {
  status: Status;
  /** From 1, counted from where the schedule began. */
  attempt: number;
  schedule: Schedule;
  /** When the task loses its point, e.g. with the token in it. */
  expiresAt: Date | undefined;
  retryAfterMs?: number | undefined;
  now: Date;
  /** 0 to 1. */
  random: number;
};

export function planNext({
  status,
  attempt,
  schedule,
  expiresAt,
  retryAfterMs,
  now,
  random,
}: PlanInput): Plan {
  if (status === 'delivered' || status === 'dropped') return { state: 'done' };
  const wait = status === 'retry' ? nextWait(schedule, attempt, random, retryAfterMs) : undefined;
  if (wait === undefined) return { state: 'dead' };
  const dueAt = new Date(now.getTime() + wait);
  return expiresAt && dueAt >= expiresAt ? { state: 'dead' } : { state: 'waiting', dueAt };
}

/** The status that an attempt is recorded with. An attempt that would be retried, but was the last one, has failed. */
export const recordedStatus = (status: Status, { state }: Plan): Status =>
  status === 'retry' && state === 'dead' ? 'failed' : status;
