import { Buffer } from 'node:buffer';
import { createBatch, serviceOrigin } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import { currentTraceparent } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import type { Attempt, RecordedAttempt } from './attempt.ts';
import { type AttemptOutcome, involvesReceiver } from './attempt-outcome.ts';
import { type ParkedRow, parkTasks, type Release } from './parking/queries.ts';
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
  attempt: RecordedAttempt;
  outcome: AttemptOutcome;
  plan: Plan;
  startedAt: Date;
  durationMs: number;
};

/** The context that a waiting request is sealed with: the record and the field. */
const requestContext = (task: string) => [task, 'request'] as const;

async function sealRequest(
  keys: TenantKeys,
  { tenant, task, text }: RecordedAttempt,
): Promise<SealedRequest> {
  const { dekId, sealed } = await keys.seal(tenant, Buffer.from(text), requestContext(task));
  return { dekId, request: sealed };
}

/** The columns that keep a task until its next attempt. */
async function waitingColumns(keys: TenantKeys, attempt: RecordedAttempt) {
  const { task, first, operation, tenant, endpoint, event, lane, extra, enqueued } = attempt;
  const row = { task, lane, operation, tenant, endpoint, event, extra };
  return {
    ...row,
    firstAttempt: first,
    enqueuedAt: enqueued,
    traceparent: currentTraceparent(),
    ...(await sealRequest(keys, attempt)),
  };
}

/** The row of an attempt that was made. */
function attemptRow({ attempt, outcome, plan, startedAt, durationMs }: Finished): AttemptRow {
  const { task, number, operation, tenant, endpoint, event, type } = attempt;
  const identity = { task, attempt: number, operation, tenant, endpoint, event, type };
  const nextAttemptAt = plan.state === 'waiting' ? plan.dueAt : null;
  return { ...identity, ...outcome, durationMs, startedAt, nextAttemptAt };
}

const byService = serviceOrigin('notifications');

type StoreDeps = {
  database: Database;
  keys: TenantKeys;
  keepsMessages: boolean;
  /** Called after rows were written that wait. */
  announce: () => void;
};

type DoneRow = AttemptRow & { sealedRequest: SealedRequest | undefined };

/** Under load, a statement every few milliseconds serves more attempts. */
const lookUps = { atOnce: 1, restMs: 4 };
/**
 * How many results one statement writes, and how many of a lane may wait for it without a slot: a
 * killed process repeats their deliveries.
 */
export const resultsAtOnce = 200;
const results = { atOnce: 1, restMs: 25, size: resultsAtOnce };

/** The rows of the queue: attempts, waiting tasks and dead letters. */
export function createStore({ database, keys, keepsMessages, announce }: StoreDeps) {
  const checkDone = createBatch(
    (attempts: ReadonlyArray<Pick<Attempt, 'task' | 'number'>>) =>
      areAttemptsDone(database, attempts),
    lookUps,
  );
  const settleDone = createBatch(async (rows: ReadonlyArray<DoneRow>) => {
    await settleAsDone(database, byService, rows);
    return rows;
  }, results);

  const park = createBatch(async (rows: readonly ParkedRow[]) => {
    await parkTasks(database, byService, rows);
    announce();
    return rows;
  });

  return {
    /** Whether an earlier delivery of the message has already made the attempt. */
    isDone: (attempt: Pick<Attempt, 'task' | 'number'>) => checkDone(attempt),

    /** Settles an attempt: writes its row and the new state of the task in one statement. */
    async finish(finished: Finished): Promise<void> {
      const { attempt, outcome, plan } = finished;
      const { number, endpoint } = attempt;
      const row = attemptRow(finished);
      const isKept = keepsMessages && endpoint !== '';
      if (plan.state === 'done') {
        const sealedRequest = isKept ? await sealRequest(keys, attempt) : undefined;
        await settleDone({ ...row, sealedRequest });
        return;
      }
      const waiting = {
        ...(await waitingColumns(keys, attempt)),
        state: plan.state,
        attempt: plan.state === 'waiting' ? number + 1 : number,
        dueAt: row.nextAttemptAt,
      };
      const isExhausted = plan.state === 'dead' && endpoint !== '' && involvesReceiver(outcome);
      await settleAsWaiting(database, byService, row, waiting, { isExhausted, isKept });
      announce();
    },

    /** Stores an attempt that was not made, to wait until `dueAt`. */
    async defer(attempt: Attempt, dueAt: Date): Promise<void> {
      const columns = await waitingColumns(keys, attempt);
      await deferTask(database, byService, { ...columns, attempt: attempt.number, dueAt });
      announce();
    },

    /** Parks a task until its endpoint can be sent to. */
    async park(attempt: Attempt, release: Release): Promise<void> {
      const columns = await waitingColumns(keys, attempt);
      await park({ ...columns, attempt: attempt.number, release });
    },

    /** Opens the documented JSON request of a waiting row. */
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
