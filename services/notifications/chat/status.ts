import { changedFields } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Origin } from '@bailiwick/outbox';
import type { EntityManager } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { disabledColumns } from '../endpoints/values.ts';
import type { EndpointKind } from '../health/disable-policy.ts';
import { recordEndpointEvent, toJson, urlContext } from './api-record.ts';
import { ChatEndpointEntity, type ChatEndpointRow } from './entities.ts';

/** Disables chat endpoints and reports failing ones, on behalf of the service. */
export const chatKind: EndpointKind = {
  prefix: 'slk',
  lock: (em, tenant, endpoint) => lockActive(em, tenant, endpoint),
  async reportFailing(em, tenant, endpoint, origin) {
    const stored = await lockActive(em, tenant, endpoint);
    if (stored) recordEndpointEvent(em, origin, 'chat_endpoint.failing', stored);
  },
  async disable(em, tenant, endpoint, origin, reason) {
    const stored = await lockActive(em, tenant, endpoint);
    if (stored) disableEndpoint(em, stored, origin, reason);
  },
};

type AtFault = { tenant: string; endpoint: string; url: string; keys: TenantKeys };

/**
 * Disables an endpoint whose URL failed, unless its URL has changed since. Resealing does not
 * change the URL.
 */
export async function disableEndpointAt(
  em: EntityManager,
  { tenant, endpoint, url, keys }: AtFault,
  origin: Origin,
  reason: string,
): Promise<void> {
  const stored = await lockActive(em, tenant, endpoint);
  if (!stored) return;
  const current = await keys.open(
    tenant,
    { dekId: stored.dekId, sealed: stored.urlEnc },
    urlContext(endpoint),
  );
  if (current.toString() === url) disableEndpoint(em, stored, origin, reason);
}

function disableEndpoint(
  em: EntityManager,
  stored: ChatEndpointRow,
  origin: Origin,
  reason: string,
): void {
  const before = toJson(stored);
  em.assign(stored, disabledColumns(reason, stored.updatedAt));
  recordEndpointEvent(
    em,
    origin,
    'chat_endpoint.disabled',
    stored,
    changedFields(before, toJson(stored)),
  );
}

const lockActive = (
  em: EntityManager,
  tenant: string,
  id: string,
): Promise<ChatEndpointRow | null> =>
  em.findOne(
    ChatEndpointEntity,
    { tenant, id, active: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
