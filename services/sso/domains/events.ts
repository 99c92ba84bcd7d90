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
  const data = domainJson(domain);
  const { tenant, id, name } = domain;
  record(tx, {
    tenant,
    type,
    data,
    previous: changedFields(domainJson(before), data),
    targets: [{ Type: 'domain', ID: id, Name: name }],
  });
}
