import { changedFields, serviceOrigin } from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';
import { type DomainRow, domainJson } from './entities.ts';

/** The origin of changes that the service makes itself: failed and lapsed domains. */
export const byService = serviceOrigin('sso');

/** Writes the event of a domain change to the outbox; `before` is the previous domain. */
export function recordDomainEvent(
  tx: Transaction,
  type: string,
  domain: DomainRow,
  before: DomainRow = domain,
): void {
  const current = domainJson(domain);
  const { tenant, id, name } = domain;
  record(tx, {
    tenant,
    type,
    data: current,
    previous: changedFields(domainJson(before), current),
    targets: [{ Type: 'domain', ID: id, Name: name }],
  });
}
