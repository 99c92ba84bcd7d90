import { changedFields } from '@bailiwick/contract';
import { type Origin, recordChange, serviceOrigin } from '@bailiwick/outbox';
import type { EntityManager } from '@bailiwick/store';
import { type DomainRow, domainJson } from './entities.ts';

/** The origin of changes that the service makes itself: failed and lapsed domains. */
export const byService = serviceOrigin('sso');

/** Writes the event of a domain change to the outbox; `before` is the previous domain. */
export function recordDomainEvent(
  em: EntityManager,
  origin: Origin,
  type: string,
  domain: DomainRow,
  before: DomainRow = domain,
): void {
  const data = domainJson(domain);
  const { tenant, id, name } = domain;
  recordChange(em, origin, {
    tenant,
    type,
    data,
    previous: changedFields(domainJson(before), data),
    targets: [{ Type: 'domain', ID: id, Name: name }],
  });
}
