import { changedFields } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { disabledColumns } from '../endpoints/values.ts';
import type { EndpointKind } from '../health/disable-policy.ts';
import { recordEndpointEvent, toJson, urlContext } from './api-record.ts';
import { ChatEndpointEntity, type ChatEndpointRow } from './entities.ts';

/** Disables chat endpoints and reports failing ones, on behalf of the service. */
export const chatKind: EndpointKind = {
  prefix: 'slk',
  lock: (tx, tenant, endpoint) => lockActive(tx, tenant, endpoint),
  async reportFailing(tx, tenant, endpoint) {
    const stored = await lockActive(tx, tenant, endpoint);
    if (stored) recordEndpointEvent(tx, 'chat_endpoint.failing', stored);
  },
  async disable(tx, tenant, endpoint, reason) {
    const stored = await lockActive(tx, tenant, endpoint);
    if (stored) disableEndpoint(tx, stored, reason);
  },
};

type FailedEndpoint = { tenant: string; endpoint: string; url: string; keys: TenantKeys };

/**
 * Disables an endpoint whose URL failed, unless its URL has changed since. Resealing does not
 * change the URL.
 */
export async function disableEndpointAt(
  tx: Transaction,
  { tenant, endpoint, url, keys }: FailedEndpoint,
  reason: string,
): Promise<void> {
  const stored = await lockActive(tx, tenant, endpoint);
  if (!stored) return;
  const current = await keys.open(
    tenant,
    { dekId: stored.dekId, sealed: stored.urlEnc },
    urlContext(endpoint),
  );
  if (current.toString() === url) disableEndpoint(tx, stored, reason);
}

function disableEndpoint(tx: Transaction, stored: ChatEndpointRow, reason: string): void {
  const before = toJson(stored);
  tx.em.assign(stored, disabledColumns(reason, stored.updatedAt));
  recordEndpointEvent(tx, 'chat_endpoint.disabled', stored, changedFields(before, toJson(stored)));
}

const lockActive = (tx: Transaction, tenant: string, id: string): Promise<ChatEndpointRow | null> =>
  tx.em.findOne(
    ChatEndpointEntity,
    { tenant, id, active: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
