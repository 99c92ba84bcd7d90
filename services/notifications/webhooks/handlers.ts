import { changedFields } from '@bailiwick/shared/changes.ts';
import type { TaskResultSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/result_pb.ts';
import type { Webhooks, WebhooksDeliverRequest } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Call, Handlers } from '@bailiwick/shared/dispatch.ts';
import type { EgressRules } from '@bailiwick/shared/egress.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import { inSpan, markFailed } from '@bailiwick/shared/trace.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { LockMode } from '@mikro-orm/core';
import { SpanKind } from '@opentelemetry/api';
import { WebhookEndpointEntity } from '../endpoints/entities.ts';
import { record, secretContext } from '../endpoints/handlers.ts';
import { jsonOf } from '../endpoints/record.ts';
import type { TenantKeys } from '../keys/keys.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type TaskContext, taskOf } from '../queue/context.ts';
import { firstByte } from '../queue/metrics.ts';
import { dropped, type Outcome } from './outcome.ts';
import type { Pools } from './pools.ts';
import { findDeliveryTarget } from './queries.ts';
import { type Attempt, send } from './send.ts';
import { deliveryHeaders, webhookId } from './sign.ts';

export type DeliverDeps = { database: Database; keys: TenantKeys; egress: EgressRules; pools: Pools };

const userAgent = `Bailiwick-Webhooks/${packageJson.version}`;

/** Makes exactly one attempt. Whether there will be another is for the queue to decide. */
export function deliverHandler(deps: DeliverDeps): Pick<Handlers<typeof Webhooks>, 'deliver'> {
  return {
    async deliver(request, call) {
      const startedAt = new Date();
      const id = webhookId(request);
      const task = taskOf(call.caller);
      const outcome = await attempt(deps, request, call, id);
      task.retryAfterMs = outcome.retryAfterMs;
      return { task: resultOf(id, task.attempt, startedAt, outcome) };
    },
  };
}

async function attempt(deps: DeliverDeps, request: WebhooksDeliverRequest, call: Call, id: string): Promise<Outcome> {
  const { tenant, endpoint, type, body } = request;
  const target = await findDeliveryTarget(deps.database, tenant, endpoint);
  if (!target) return dropped('endpoint_not_found');
  if (!target.active) return dropped('endpoint_inactive');
  const secret = await deps.keys.open(tenant, { dekId: target.dekId, sealed: target.secretEnc }, secretContext(endpoint));
  const signed = { id, type, endpoint, attempt: taskOf(call.caller).attempt, secrets: [secret.toString()], body };
  const headers = deliveryHeaders(signed, userAgent, new Date());
  const outcome = await sendTraced(deps, { url: target.url, headers, body, signal: call.signal }, { endpoint, task: taskOf(call.caller) });
  if (outcome.statusCode === 410) await disable(deps.database, request, call, target.url);
  return outcome;
}

/**
 * The span names neither host nor path: some receivers' addresses are secrets. Nor is the trace handed on: a receiver is
 * foreign, and what it did with it would end in nobody's trace.
 */
function sendTraced(deps: DeliverDeps, attempt: Attempt, { endpoint, task }: { endpoint: string; task: TaskContext }): Promise<Outcome> {
  const attributes = { 'http.request.method': 'POST', 'bailiwick.endpoint': endpoint, 'http.request.resend_count': task.attempt - 1 };
  return inSpan('POST webhook', { kind: SpanKind.CLIENT, attributes }, async (span) => {
    // Later attempts tell of the schedule, and not of the queue.
    const onAnswer = () => task.attempt === 1 && task.enqueued && firstByte.record((Date.now() - task.enqueued.getTime()) / 1000, {});
    const outcome = await send(deps, { ...attempt, onAnswer });
    if (outcome.statusCode !== 0) span.setAttribute('http.response.status_code', outcome.statusCode);
    if (outcome.error !== '') markFailed(span, outcome.error);
    return outcome;
  });
}

// The receiver says that it is gone for good. A URL that was changed meanwhile is not the one that said so.
async function disable(database: Database, { tenant, endpoint }: WebhooksDeliverRequest, call: Call, url: string): Promise<void> {
  await database.transaction(tenant, async (em) => {
    const stored = await em.findOne(WebhookEndpointEntity, { tenant, id: endpoint, url, active: true }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!stored) return;
    const before = jsonOf(stored);
    const now = new Date();
    em.assign(stored, { active: false, disabledReason: 'the receiver answered 410 Gone', disabledAt: now, updatedAt: now });
    record(em, call, 'webhook_endpoint.disabled', stored, changedFields(before, jsonOf(stored)));
  });
}

function resultOf(
  id: string,
  attemptNumber: number,
  startedAt: Date,
  { status, statusCode, error, message }: Outcome,
): MessageInitShape<typeof TaskResultSchema> {
  return {
    id,
    status,
    attempt: attemptNumber,
    statusCode,
    error,
    message,
    durationMs: Date.now() - startedAt.getTime(),
    startedAt: timestampFromDate(startedAt),
  };
}
