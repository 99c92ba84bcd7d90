import { serviceOrigin } from '@bailiwick/contract';
import { type EgressRules, type Pools } from '@bailiwick/egress';
import { type TenantKeys } from '@bailiwick/keys';
import type {
  Chat,
  ChatDeliverRequest,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import type { Database } from '@bailiwick/store';
import { goneReason } from '../health/disable-policy.ts';
import packageJson from '../package.json' with { type: 'json' };
import { type DeliveryOutcome, dropped } from '../sending/delivery-outcome.ts';
import { derivedId, resultOf } from '../sending/result.ts';
import type { Task, TaskAttempt } from '../sending/task.ts';
import { sendTraced } from '../sending/traced.ts';
import { urlContext } from './api-record.ts';
import { outcomeOfChatAnswer } from './delivery-outcome.ts';
import { type ChatTarget, findChatTarget } from './queries.ts';
import { disableEndpointAt } from './status.ts';

export type DeliverDeps = {
  database: Database;
  keys: TenantKeys;
  egress: EgressRules;
  pools: Pools;
};

const headers = {
  'content-type': 'application/json',
  'user-agent': `Bailiwick-Chat/${packageJson.version}`,
};

/** Makes exactly one attempt. The queue decides about the next one. */
export const deliverTask =
  (deps: DeliverDeps): Task<typeof Chat.method.deliver> =>
  async (request, attempt, signal) => {
    const startedAt = new Date();
    const outcome = await attemptMessage(deps, request, { attempt, signal });
    const id = attempt.id || derivedId(request);
    return {
      response: { task: resultOf(id, attempt.number, startedAt, outcome) },
      retryAfterMs: outcome.retryAfterMs,
    };
  };

/** `evenInactive`: send even if the endpoint is inactive. */
type Message = Pick<ChatDeliverRequest, 'tenant' | 'endpoint' | 'body'> & {
  evenInactive?: boolean;
};

/** Makes one attempt, for the queue or for a test. */
export async function attemptMessage(
  deps: DeliverDeps,
  { tenant, endpoint, body, evenInactive = false }: Message,
  { attempt, signal }: { attempt: TaskAttempt; signal: AbortSignal },
): Promise<DeliveryOutcome> {
  const target = await findChatTarget(deps.database, tenant, endpoint);
  if (!target) return dropped('endpoint_not_found');
  if (!target.active && !evenInactive) return dropped('endpoint_inactive');
  const url = await openUrl(deps.keys, { tenant, endpoint }, target);
  const posted = { url, headers, body, signal, interpret: outcomeOfChatAnswer };
  const outcome = await sendTraced(deps, posted, {
    name: 'POST chat',
    endpoint,
    task: attempt,
  });
  // The service says that the channel or its hook is gone for good.
  if (outcome.statusCode === 410) {
    const call = serviceOrigin('notifications', '', attempt.id);
    await deps.database.transaction({ call, tenant }, (tx) =>
      disableEndpointAt(tx, { tenant, endpoint, url, keys: deps.keys }, goneReason),
    );
  }
  return outcome;
}

async function openUrl(
  keys: TenantKeys,
  { tenant, endpoint }: Pick<ChatDeliverRequest, 'tenant' | 'endpoint'>,
  { dekId, urlEnc }: Omit<ChatTarget, 'active'>,
): Promise<string> {
  return (await keys.open(tenant, { dekId, sealed: urlEnc }, urlContext(endpoint))).toString();
}
