import { timeOf } from '@bailiwick/contract';
import { notFound, unauthenticated } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  Portal,
  PortalEndpointSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/portal_pb.ts';
import {
  type Webhooks,
  WebhooksGetMessageRequestSchema,
  WebhooksListAttemptsRequestSchema,
  WebhooksReplayFailedRequestSchema,
  WebhooksResendRequestSchema,
  WebhooksRotateSecretRequestSchema,
  WebhooksSendTestRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import type { Database } from '@bailiwick/store';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type ExplainDeps, explainDelivery } from '../explanations/explain.ts';
import { findHealth, type HealthRecord } from '../health/summary.ts';
import { closePortal, openPortal, type SessionDeps } from '../portals/sessions.ts';
import { type EndpointColumns, toApi } from '../webhooks/api-record.ts';
import { findEndpoint } from '../webhooks/queries.ts';
import { displayUrl } from '../webhooks/url.ts';
import { findLink } from './queries.ts';

type Shared = Pick<
  Handlers<typeof Webhooks>,
  'listAttempts' | 'getMessage' | 'resend' | 'replayFailed' | 'sendTest' | 'rotateSecret'
>;

/**
 * The operations of a portal session: those of the administrators, about the endpoint of the link.
 * The endpoint comes from the caller, never from a request.
 */
export function portalHandlers(
  deps: SessionDeps & ExplainDeps,
  webhooks: Shared,
): Handlers<typeof Portal> {
  return {
    open: ({ token }, call) => openPortal(deps, token, call),
    get: (_request, call) => getPortal(deps.database, call),

    async listAttempts({ outcome, eventType, latest, page: pageRequest }, call) {
      const { tenant, endpoint } = call.caller;
      const query = {
        tenant,
        endpoint,
        outcome,
        eventType,
        latest,
        ...(pageRequest && { page: pageRequest }),
      };
      const { page } = await webhooks.listAttempts(
        create(WebhooksListAttemptsRequestSchema, query),
        call,
      );
      return { ...(page && { page }) };
    },

    async getMessage({ messageId }, call) {
      const request = create(WebhooksGetMessageRequestSchema, { ...endpointOf(call), messageId });
      const { message } = await webhooks.getMessage(request, call);
      return { ...(message && { message }) };
    },

    explainDelivery: ({ event }, call) => explainToReceiver(deps, event, call),

    async resend({ messageId, now }, call) {
      const request = create(WebhooksResendRequestSchema, { ...endpointOf(call), messageId, now });
      const { queued = false } = await webhooks.resend(request, call);
      return { queued };
    },

    async replayFailed(_request, call) {
      const request = create(WebhooksReplayFailedRequestSchema, endpointOf(call));
      const { queued = 0 } = await webhooks.replayFailed(request, call);
      return { queued };
    },

    async sendTest(_request, call) {
      const request = create(WebhooksSendTestRequestSchema, endpointOf(call));
      const { task } = await webhooks.sendTest(request, call);
      return { ...(task && { task }) };
    },

    async rotateSecret({ graceSeconds }, call) {
      const request = { ...endpointOf(call), ...(graceSeconds !== undefined && { graceSeconds }) };
      const { endpoint, secret = '' } = await webhooks.rotateSecret(
        create(WebhooksRotateSecretRequestSchema, request),
        call,
      );
      const previousSecretUntil = endpoint?.previousSecretUntil;
      return { secret, ...(previousSecretUntil && { previousSecretUntil }) };
    },

    async close(_request, call) {
      await closePortal(deps, call);
      return {};
    },
  };
}

const endpointOf = ({ caller: { tenant, endpoint } }: Call) => ({ tenant, id: endpoint });

// A receiver learns nothing of an event that its endpoint does not get, not even that there is one.
async function explainToReceiver(deps: ExplainDeps, id: string, call: Call) {
  const { tenant, endpoint } = call.caller;
  const fate = await explainDelivery(deps, { tenant, event: id, endpoint });
  const delivery = fate?.endpoints[0];
  if (!fate || !delivery?.receives) throw notFound('event');
  const { type, timestamp } = fate.event;
  return { eventType: type, occurredAt: timeOf(timestamp), delivery };
}

async function getPortal(database: Database, { caller: { tenant, endpoint, id } }: Call) {
  const [row, link] = await Promise.all([
    findEndpoint(database, tenant, endpoint),
    findLink(database, tenant, id),
  ]);
  if (!row) throw notFound('endpoint');
  // The link was deleted after the gateway had checked it.
  if (!link) throw unauthenticated();
  const { abilities, expiresAt } = link;
  const healthOf = await findHealth(database, tenant, [row]);
  return {
    endpoint: endpointRecord(row, healthOf(row)),
    tenant,
    abilities,
    expiresAt: timeOf(expiresAt),
  };
}

/** The endpoint as its receiver sees it: without the whole URL and the tenant's notes. */
function endpointRecord(
  row: EndpointColumns,
  health: HealthRecord,
): MessageInitShape<typeof PortalEndpointSchema> {
  const url = displayUrl(row);
  const { disabledAt, previousSecretUntil } = toApi(row, url);
  const { id, name, active, disabledReason, eventTypes } = row;
  return {
    id,
    name,
    active,
    disabledReason,
    eventTypes,
    url,
    ...(disabledAt && { disabledAt }),
    ...(previousSecretUntil && { previousSecretUntil }),
    ...(health.failingSince && { failingSince: health.failingSince }),
    ...(health.pausedUntil && { pausedUntil: health.pausedUntil }),
    health,
  };
}
