import { Buffer } from 'node:buffer';
import type { Database } from '@bailiwick/shared/orm.ts';
import { currentTraceparent } from '@bailiwick/shared/trace.ts';
import type { TenantKeys } from '../keys/keys.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptOutcome } from './outcome.ts';
import type { Plan } from './plan.ts';
import { isAttemptDone, settleAsDone, settleAsWaiting, type WaitingRow } from './queries.ts';

export type Store = ReturnType<typeof createStore>;

export type Finished = { attempt: Attempt; outcome: AttemptOutcome; plan: Plan; startedAt: Date; durationMs: number };

/** Where a waiting request is sealed: the record and the field. */
const requestContext = (task: string) => [task, 'request'] as const;

/** The queue's rows: what was attempted, what waits, what is dead. */
export function createStore({ database, keys }: { database: Database; keys: TenantKeys }) {
  return {
    isDone: (task: string, attempt: number) => isAttemptDone(database, task, attempt),

    /** Settles an attempt: its row and what becomes of the task, together. */
    async finish({ attempt, outcome, plan, startedAt, durationMs }: Finished): Promise<void> {
      const { task, number, operation, tenant, endpoint, event, type, lane, extra } = attempt;
      const dueAt = plan.state === 'waiting' ? plan.dueAt : null;
      const noted = { task, attempt: number, operation, tenant, endpoint, event, type, ...outcome, durationMs, startedAt, nextAttemptAt: dueAt };
      if (plan.state === 'done') return settleAsDone(database, noted);
      const { dekId, sealed } = await keys.seal(tenant, Buffer.from(attempt.text), requestContext(task));
      const next = plan.state === 'waiting' ? number + 1 : number;
      const row = {
        task,
        lane,
        operation,
        tenant,
        endpoint,
        event,
        extra,
        enqueuedAt: attempt.enqueued,
        traceparent: currentTraceparent(),
        dekId,
        request: sealed,
      };
      await settleAsWaiting(database, noted, { ...row, state: plan.state, attempt: next, dueAt });
    },

    /** The documented JSON request of a row that waits. */
    async openRequest({ tenant, task, dekId, request }: WaitingRow): Promise<Record<string, unknown>> {
      const text = await keys.open(tenant, { dekId, sealed: request }, requestContext(task));
      return JSON.parse(text.toString()) as Record<string, unknown>;
    },
  };
}
