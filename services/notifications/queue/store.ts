import { Buffer } from 'node:buffer';
import { createBatch } from '@bailiwick/shared/batch.ts';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { currentTraceparent } from '@bailiwick/shared/trace.ts';
import type { Attempt, NotedAttempt } from './attempt.ts';
import { type AttemptOutcome, isReceivers } from './outcome.ts';
import { parkTask, type Release } from './parking/queries.ts';
import type { Plan } from './plan.ts';
import {
  type AttemptRow,
  areAttemptsDone,
  deferTask,
  type SealedRequest,
  settleAsDone,
  settleAsWaiting,
  type WaitingRow,
} from './queries.ts';

export type Store = ReturnType<typeof createStore>;

export type Finished = {
  attempt: NotedAttempt;
  outcome: AttemptOutcome;
  plan: Plan;
  startedAt: Date;
  durationMs: number;
};

/** Where a waiting request is sealed: the record and the field. */
const requestContext = (task: string) => [task, 'request'] as const;

/** The queue's rows: what was attempted, what waits, what is dead. */
export function createStore({
  database,
  keys,
  keepsMessages,
}: {
  database: Database;
  keys: TenantKeys;
  keepsMessages: boolean;
}) {
  const sealRequest = async ({ tenant, task, text }: NotedAttempt): Promise<SealedRequest> => {
    const { dekId, sealed } = await keys.seal(tenant, Buffer.from(text), requestContext(task));
    return { dekId, request: sealed };
  };

  /** What a row keeps of a task until its next attempt. */
  async function kept(attempt: NotedAttempt) {
    const { task, first, operation, tenant, endpoint, event, lane, extra, enqueued } = attempt;
    const row = {
      task,
      lane,
      operation,
      tenant,
      endpoint,
      event,
      extra,
      firstAttempt: first,
      enqueuedAt: enqueued,
    };
    return { ...row, traceparent: currentTraceparent(), ...(await sealRequest(attempt)) };
  }

  const askWhetherDone = createBatch((attempts: ReadonlyArray<Pick<Attempt, 'task' | 'number'>>) =>
    areAttemptsDone(database, attempts),
  );
  const settleDone = createBatch(
    async (rows: ReadonlyArray<AttemptRow & { sent: SealedRequest | undefined }>) => {
      await settleAsDone(database, rows);
      return rows;
    },
  );

  return {
    /** Whether the attempt has been made already, by whoever had the message before. */
    isDone: (attempt: Pick<Attempt, 'task' | 'number'>) => askWhetherDone(attempt),

    /** Settles an attempt: its row and what becomes of the task, together. */
    async finish({ attempt, outcome, plan, startedAt, durationMs }: Finished): Promise<void> {
      const { task, number, operation, tenant, endpoint, event, type } = attempt;
      const dueAt = plan.state === 'waiting' ? plan.dueAt : null;
      const noted = {
        task,
        attempt: number,
        operation,
        tenant,
        endpoint,
        event,
        type,
        ...outcome,
        durationMs,
        startedAt,
        nextAttemptAt: dueAt,
      };
      const isKept = keepsMessages && endpoint !== '';
      if (plan.state === 'done') {
        await settleDone({ ...noted, sent: isKept ? await sealRequest(attempt) : undefined });
        return;
      }
      const next = plan.state === 'waiting' ? number + 1 : number;
      const isExhausted = plan.state === 'dead' && endpoint !== '' && isReceivers(outcome);
      await settleAsWaiting(
        database,
        noted,
        { ...(await kept(attempt)), state: plan.state, attempt: next, dueAt },
        { isExhausted, isKept },
      );
    },

    /** Has an attempt that was not made wait as a row. */
    async defer(attempt: Attempt, dueAt: Date): Promise<void> {
      await deferTask(database, { ...(await kept(attempt)), attempt: attempt.number, dueAt });
    },

    /** Keeps a task back until its endpoint can be sent to. */
    async park(attempt: Attempt, release: Release): Promise<void> {
      await parkTask(database, { ...(await kept(attempt)), attempt: attempt.number }, release);
    },

    /** The documented JSON request of a row that waits. */
    async openRequest({
      tenant,
      task,
      dekId,
      request,
    }: Pick<WaitingRow, 'tenant' | 'task' | 'dekId' | 'request'>): Promise<
      Record<string, unknown>
    > {
      const text = await keys.open(tenant, { dekId, sealed: request }, requestContext(task));
      return JSON.parse(text.toString()) as Record<string, unknown>;
    },
  };
}
