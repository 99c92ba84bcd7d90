import { type EntityManager } from '@bailiwick/database';
import { type Origin } from '@bailiwick/events';
import { changedFields } from '@bailiwick/values';
import { LockMode } from '@mikro-orm/core';
import { disabledColumns } from '../endpoints/values.ts';
import type { EndpointKind } from '../health/disable-policy.ts';
import { recordEndpointEvent, toJson } from './api-record.ts';
import { WebhookEndpointEntity, type WebhookEndpointRow } from './entities.ts';

/** Disables webhook endpoints and reports failing ones, on behalf of the service. */
export const webhookKind: EndpointKind = {
  prefix: 'whk',
  lock: (em, tenant, endpoint) => lockActive(em, { tenant, id: endpoint }),
  async reportFailing(em, tenant, endpoint, origin) {
    const stored = await lockActive(em, { tenant, id: endpoint });
    if (stored) recordEndpointEvent(em, origin, 'webhook_endpoint.failing', stored);
  },
  async disable(em, tenant, endpoint, origin, reason) {
    await disableEndpoint(em, { tenant, id: endpoint }, origin, reason);
  },
};

/** Disables an endpoint, unless it is already inactive or no longer has the failing `url`. */
export async function disableEndpoint(
  em: EntityManager,
  which: Which,
  origin: Origin,
  reason: string,
): Promise<void> {
  const stored = await lockActive(em, which);
  if (!stored) return;
  const before = toJson(stored);
  em.assign(stored, disabledColumns(reason, stored.updatedAt));
  recordEndpointEvent(
    em,
    origin,
    'webhook_endpoint.disabled',
    stored,
    changedFields(before, toJson(stored)),
  );
}

type Which = { tenant: string; id: string; url?: string };

const lockActive = (em: EntityManager, which: Which): Promise<WebhookEndpointRow | null> =>
  em.findOne(
    WebhookEndpointEntity,
    { ...which, active: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
