import { serviceOrigin } from '@bailiwick/contract';
import { type EgressRules, type Pools } from '@bailiwick/egress';
import { type TenantKeys } from '@bailiwick/keys';
import type {
  Webhooks,
  WebhooksDeliverRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Database } from '@bailiwick/store';
import { goneReason } from '../health/disable-policy.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type DeliveryOutcome, dropped } from '../sending/delivery-outcome.ts';
import { resultOf } from '../sending/result.ts';
import type { Task, TaskAttempt } from '../sending/task.ts';
import { sendTraced } from '../sending/traced.ts';
import { deliveryHeaders, webhookId } from './sign.ts';
import { disableEndpointAt } from './status.ts';
import type { FindTarget } from './targets.ts';

export type DeliverDeps = {
  database: Database;
  keys: TenantKeys;
  egress: EgressRules;
  pools: Pools;
  findTarget: FindTarget;
};

const userAgent = `Bailiwick-Webhooks/${packageJson.version}`;

/** Makes exactly one attempt. The queue decides about the next one. */
export const deliverTask =
  (deps: DeliverDeps): Task<typeof Webhooks.method.deliver> =>
  async (request, attempt, signal) => {
    const startedAt = new Date();
    const id = webhookId(request);
    const outcome = await attemptDelivery(deps, { ...request, id }, { attempt, signal });
    return {
      response: { task: resultOf(id, attempt.number, startedAt, outcome) },
      retryAfterMs: outcome.retryAfterMs,
    };
  };

export type Delivery = Pick<WebhooksDeliverRequest, 'tenant' | 'endpoint' | 'type' | 'body'> & {
  /** The webhook-id. */
  id: string;
  /** Send even if the endpoint is inactive. */
  evenInactive?: boolean;
};

/** Makes one attempt, for the queue or for a test. */
export async function attemptDelivery(
  deps: DeliverDeps,
  { id, evenInactive = false, ...delivery }: Delivery,
  { attempt, signal }: { attempt: TaskAttempt; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const { tenant, endpoint, type, body } = delivery;
  const target = await deps.findTarget({ tenant, endpoint });
  if (!target) return dropped('endpoint_not_found');
  if (!target.active && !evenInactive) return dropped('endpoint_inactive');
  const { url, secrets } = await target.open();
  const signed = { id, type, endpoint, attempt: attempt.number, secrets, body };
  const headers = deliveryHeaders(signed, userAgent, new Date());
  const outcome = await sendTraced(
    deps,
    { url, headers, body, signal },
    { name: 'POST webhook', endpoint, task: attempt },
  );
  // The receiver says that it is gone for good. An endpoint whose URL has changed meanwhile stays
  // enabled.
  if (outcome.statusCode === 410) {
    const call = serviceOrigin('notifications', '', attempt.id);
    await deps.database.transaction({ call, tenant }, (tx) =>
      disableEndpointAt(tx, { tenant, endpoint, url, keys: deps.keys }, goneReason),
    );
  }
  return outcome;
}
