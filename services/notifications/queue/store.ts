import { Buffer } from 'node:buffer';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { TenantKeys } from '../keys/keys.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptOutcome } from './outcome.ts';
import type { Plan } from './plan.ts';
import { deleteTask, insertAttempt, isAttemptDone, upsertWaiting, type WaitingRow } from './queries.ts';

export type Store = ReturnType<typeof createStore>;

export type Finished = { attempt: Attempt; outcome: AttemptOutcome; plan: Plan; startedAt: Date; durationMs: number };

/** Where a waiting request is sealed: the record and the field. */
const requestContext = (task: string) => [task, 'request'] as const;

/** The queue's rows: what was attempted, what waits, what is dead. */
export function createStore({ database, keys }: { database: Database; keys: TenantKeys }) {
  return {
    isDone: (task: string, attempt: number) => isAttemptDone(database, task, attempt),

    /** Settles an attempt: its row, and what becomes of the task, in one transaction. */
    async finish({ attempt, outcome, plan, startedAt, durationMs }: Finished): Promise<void> {
      const { task, number, operation, tenant, endpoint, event, type } = attempt;
      // Before the transaction: a tenant's first key is made in one of its own.
      const sealed = plan.state === 'done' ? undefined : await keys.seal(tenant, Buffer.from(attempt.text), requestContext(task));
      const nextAttemptAt = plan.state === 'waiting' ? plan.dueAt : null;
      await database.transaction(null, async (em) => {
        const isNew = await insertAttempt(em, { task, attempt: number, operation, tenant, endpoint, event, type, ...outcome, durationMs, startedAt, nextAttemptAt });
        if (!isNew) return;
        if (plan.state === 'done' || !sealed) return deleteTask(em, task);
        const { lane, enqueued, extra } = attempt;
        const next = plan.state === 'waiting' ? number + 1 : number;
        const row = { task, lane, operation, tenant, endpoint, event, extra, enqueuedAt: enqueued, dekId: sealed.dekId, request: sealed.sealed };
        await upsertWaiting(em, { ...row, state: plan.state, attempt: next, dueAt: nextAttemptAt });
      });
    },

    /** The documented JSON request of a row that waits. */
    async openRequest({ tenant, task, dekId, request }: WaitingRow): Promise<Record<string, unknown>> {
      const text = await keys.open(tenant, { dekId, sealed: request }, requestContext(task));
      return JSON.parse(text.toString()) as Record<string, unknown>;
    },
  };
}
