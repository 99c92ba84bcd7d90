import { createId } from '@bailiwick/contract';
import { eventBody, record, type Target } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { TaskResultSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/result_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { countTrial } from '../messages/trials.ts';
import { settleAsDone } from '../queue/queries.ts';
import type { DeliveryOutcome } from '../sending/delivery-outcome.ts';
import { resultOf } from '../sending/result.ts';

const type = 'endpoint.ping';

type TestDelivery = {
  tenant: string;
  target: Target;
  /** The audit action of the test. */
  action: string;
  /** The endpoint as the API returns it; the subject of the event. */
  data: Record<string, unknown>;
  /** Makes the attempt with the event's body. */
  attempt: (
    event: { id: string; type: string; text: string },
    signal: AbortSignal,
  ) => Promise<DeliveryOutcome>;
};

/**
 * Sends a test event to one endpoint, active or not, and records the attempt. Audited, and
 * published to no other endpoint.
 */
export async function sendTest(
  { database, limiter }: { database: Database; limiter: Limiter },
  call: Call,
  { tenant, target, action, data, attempt }: TestDelivery,
): Promise<{ task: MessageInitShape<typeof TaskResultSchema> }> {
  await countTrial(limiter, tenant, target.ID);
  await database.transaction({ call, tenant }, async (tx) =>
    record(tx, { tenant, type: action, data: null, targets: [target] }),
  );
  const startedAt = new Date();
  const id = createId('evt');
  // A test that has begun is finished and recorded even if the caller hangs up.
  const response = await attempt(
    { id, type, text: eventBody(call, { id, type, at: startedAt, tenant, data }) },
    new AbortController().signal,
  );
  // A test is never retried.
  const outcome = {
    ...response,
    status: response.status === 'retry' ? ('failed' as const) : response.status,
  };
  const { status, statusCode, error, message } = outcome;
  const result = {
    status,
    statusCode,
    error,
    message,
    durationMs: Date.now() - startedAt.getTime(),
    startedAt,
    nextAttemptAt: null,
  };
  const identity = {
    task: createId('tsk'),
    attempt: 1,
    operation: call.operation.name,
    tenant,
    endpoint: target.ID,
    event: id,
    type,
    delivery: id,
  };
  await settleAsDone(database, call, [{ ...identity, ...result }]);
  return { task: resultOf(id, 1, startedAt, outcome) };
}
