import { changedFields } from '@bailiwick/shared/changes.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import type { Origin } from '@bailiwick/shared/outbox.ts';
import { LockMode } from '@mikro-orm/core';
import type { EndpointKind } from '../endpoints/patience.ts';
import { switchedOff } from '../endpoints/values.ts';
import { WebhookEndpointEntity, type WebhookEndpointRow } from './entities.ts';
import { jsonOf, recordEndpoint } from './record.ts';

/** What the service itself does with webhook endpoints. */
export const webhookKind: EndpointKind = {
  prefix: 'whk',
  lock: (em, tenant, endpoint) => lockActive(em, { tenant, id: endpoint }),
  async tellFailing(em, tenant, endpoint, origin) {
    const stored = await lockActive(em, { tenant, id: endpoint });
    if (stored) recordEndpoint(em, origin, 'webhook_endpoint.failing', stored);
  },
  async switchOff(em, tenant, endpoint, origin, reason) {
    await switchOff(em, { tenant, id: endpoint }, origin, reason);
  },
};

/** Makes an endpoint inactive, unless it is already, or does not have the `url` any more that is at fault. */
export async function switchOff(
  em: EntityManager,
  which: Which,
  origin: Origin,
  reason: string,
): Promise<void> {
  const stored = await lockActive(em, which);
  if (!stored) return;
  const before = jsonOf(stored);
  em.assign(stored, switchedOff(reason, stored.updatedAt));
  recordEndpoint(
    em,
    origin,
    'webhook_endpoint.disabled',
    stored,
    changedFields(before, jsonOf(stored)),
  );
}

type Which = { tenant: string; id: string; url?: string };

const lockActive = (em: EntityManager, which: Which): Promise<WebhookEndpointRow | null> =>
  em.findOne(
    WebhookEndpointEntity,
    { ...which, active: true },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
