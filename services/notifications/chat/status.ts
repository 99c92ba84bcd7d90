import { changedFields } from '@bailiwick/shared/changes.ts';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import type { EntityManager } from '@bailiwick/shared/orm.ts';
import type { Origin } from '@bailiwick/shared/outbox.ts';
import { LockMode } from '@mikro-orm/core';
import type { EndpointKind } from '../endpoints/patience.ts';
import { switchedOff } from '../endpoints/values.ts';
import { ChatEndpointEntity, type ChatEndpointRow } from './entities.ts';
import { jsonOf, recordEndpoint, urlContext } from './record.ts';

/** What the service itself does with chat endpoints. */
export const chatKind: EndpointKind = {
  prefix: 'slk',
  lock: (em, tenant, endpoint) => lockActive(em, tenant, endpoint),
  async tellFailing(em, tenant, endpoint, origin) {
    const stored = await lockActive(em, tenant, endpoint);
    if (stored) recordEndpoint(em, origin, 'chat_endpoint.failing', stored);
  },
  async switchOff(em, tenant, endpoint, origin, reason) {
    const stored = await lockActive(em, tenant, endpoint);
    if (stored) switchOff(em, stored, origin, reason);
  },
};

type AtFault = { tenant: string; endpoint: string; url: string; keys: TenantKeys };

/** Makes an endpoint inactive whose URL is at fault, unless it has another one by now. One that was only sealed anew is the same. */
export async function switchOffAt(
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
  if (current.toString() === url) switchOff(em, stored, origin, reason);
}

function switchOff(
  em: EntityManager,
  stored: ChatEndpointRow,
  origin: Origin,
  reason: string,
): void {
  const before = jsonOf(stored);
  em.assign(stored, switchedOff(reason, stored.updatedAt));
  recordEndpoint(
    em,
    origin,
    'chat_endpoint.disabled',
    stored,
    changedFields(before, jsonOf(stored)),
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
