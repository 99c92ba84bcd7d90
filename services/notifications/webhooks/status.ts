import { changedFields } from '@bailiwick/contract';
import { type TenantKeys } from '@bailiwick/keys';
import type { Transaction } from '@bailiwick/store';
import { LockMode } from '@mikro-orm/core';
import { disabledColumns } from '../endpoints/values.ts';
import type { EndpointKind } from '../health/disable-policy.ts';
import { recordEndpointEvent, toJson } from './api-record.ts';
import { WebhookEndpointEntity, type WebhookEndpointRow } from './entities.ts';
import { openUrl } from './url.ts';

/** Disables webhook endpoints and reports failing ones, on behalf of the service. */
export const webhookKind: EndpointKind = {
  prefix: 'whk',
  lock: (tx, tenant, endpoint) => lockActive(tx, tenant, endpoint),
  async reportFailing(tx, tenant, endpoint) {
    const stored = await lockActive(tx, tenant, endpoint);
    if (stored) recordEndpointEvent(tx, 'webhook_endpoint.failing', stored);
  },
  async disable(tx, tenant, endpoint, reason) {
    const stored = await lockActive(tx, tenant, endpoint);
    if (stored) disableEndpoint(tx, stored, reason);
  },
};

type FailedEndpoint = { tenant: string; endpoint: string; url: string; keys: TenantKeys };

/** Disables an endpoint whose URL failed, unless it is inactive or its URL has changed since. */
export async function disableEndpointAt(
  tx: Transaction,
  { tenant, endpoint, url, keys }: FailedEndpoint,
  reason: string,
): Promise<void> {
  const stored = await lockActive(tx, tenant, endpoint);
  if (stored && (await openUrl(keys, stored, stored)) === url) disableEndpoint(tx, stored, reason);
}

function disableEndpoint(tx: Transaction, stored: WebhookEndpointRow, reason: string): void {
  const before = toJson(stored);
  tx.em.assign(stored, disabledColumns(reason, stored.updatedAt));
  recordEndpointEvent(
    tx,
    'webhook_endpoint.disabled',
    stored,
    changedFields(before, toJson(stored)),
  );
}

const lockActive = (
  tx: Transaction,
  tenant: string,
  id: string,
): Promise<WebhookEndpointRow | null> =>
  tx.em.findOne(
    WebhookEndpointEntity,
    { tenant, id, active: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
