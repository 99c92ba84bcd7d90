import { record } from '@bailiwick/outbox';
import type { Transaction } from '@bailiwick/store';

type PortalIdentity = { tenant: string; id: string; endpoint: string; name: string };

/** Writes the audit entry of a link. No endpoint gets an event about it. */
export function recordPortal(
  tx: Transaction,
  verb: 'created' | 'deleted' | 'opened' | 'closed',
  { tenant, id, endpoint, name }: PortalIdentity,
): void {
  record(tx, {
    tenant,
    type: `webhook_portal.${verb}`,
    data: null,
    targets: [
      { Type: 'webhook_portal', ID: id, Name: name },
      { Type: 'webhook_endpoint', ID: endpoint, Name: '' },
    ],
  });
}
