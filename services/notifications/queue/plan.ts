import type { Status } from '../sending/delivery-outcome.ts';
import { nextWait, type Schedule } from './schedule.ts';

/** The state of a task after an attempt: done, waiting for the next attempt, or dead-lettered. */
export type Plan = { state: 'done' } | { state: 'dead' } | { state: 'waiting'; dueAt: Date };

export type PlanInput = {
  status: Status;
  /** From 1, counted from where the schedule began. */
  attempt: number;
  schedule: Schedule;
  /** When the task expires, e.g. with the token in it. */
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

/** The status to record for an attempt: the last one of the schedule is failed instead of retry. */
export const recordedStatus = (status: Status, { state }: Plan): Status =>
  status === 'retry' && state === 'dead' ? 'failed' : status;
