import { changedFields } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Origin } from '@bailiwick/outbox';
import type { EntityManager } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { disabledColumns } from '../endpoints/values.ts';
import type { EndpointKind } from '../health/disable-policy.ts';
import { recordEndpointEvent, toJson } from './api-record.ts';
import { WebhookEndpointEntity, type WebhookEndpointRow } from './entities.ts';
import { openUrl } from './url.ts';

/** Disables webhook endpoints and reports failing ones, on behalf of the service. */
export const webhookKind: EndpointKind = {
  prefix: 'whk',
  lock: (em, tenant, endpoint) => lockActive(em, tenant, endpoint),
  async reportFailing(em, tenant, endpoint, origin) {
    const stored = await lockActive(em, tenant, endpoint);
    if (stored) recordEndpointEvent(em, origin, 'webhook_endpoint.failing', stored);
  },
  async disable(em, tenant, endpoint, origin, reason) {
    const stored = await lockActive(em, tenant, endpoint);
    if (stored) disableEndpoint(em, stored, origin, reason);
  },
};

type AtFault = { tenant: string; endpoint: string; url: string; keys: TenantKeys };

/** Disables an endpoint whose URL failed, unless it is inactive or its URL has changed since. */
export async function disableEndpointAt(
  em: EntityManager,
  { tenant, endpoint, url, keys }: AtFault,
  origin: Origin,
  reason: string,
): Promise<void> {
  const stored = await lockActive(em, tenant, endpoint);
  if (stored && (await openUrl(keys, stored, stored)) === url)
    disableEndpoint(em, stored, origin, reason);
}

function disableEndpoint(
  em: EntityManager,
  stored: WebhookEndpointRow,
  origin: Origin,
  reason: string,
): void {
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

const lockActive = (
  em: EntityManager,
  tenant: string,
  id: string,
): Promise<WebhookEndpointRow | null> =>
  em.findOne(
    WebhookEndpointEntity,
    { tenant, id, active: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
