import { platformPlace } from '@bailiwick/contract';
import { denied } from '@bailiwick/errors';
import { recordRevocation } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type {
  SettleRequest,
  VouchRequest,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import type { Database, Transaction } from '@bailiwick/store';
import { rowOf } from '../../rows.ts';
import {
  addUnconfirmed,
  endUnconfirmed,
  holdUnconfirmed,
  loosenLinks,
  removeUnconfirmed,
} from './queries.ts';

// A provider whose last change is not confirmed opens limited sessions (packages/contract/voucher.ts).
// Its links and sessions are marked, so that they end with the confirmation: the author of the change may have
// linked and opened it, and then put the provider right.

/**
 * Limits what a provider opens from now on, if its change is not confirmed. People have confirmed
 * their links at the provider as it was: the change gives its author nothing outside of the tenant.
 */
export async function vouch(database: Database, request: VouchRequest, call: Call): Promise<void> {
  const { tenant, provider, id, keepsLinks } = request;
  await database.transaction(
    { call, tenant: null, row: rowOf.provider(tenant, provider) },
    async (tx) => {
      revokeOf(tx, tenant);
      if (id !== '') await addUnconfirmed(tx, request);
      if (tenant !== '' && !keepsLinks) await loosenLinks(tx, request);
    },
  );
}

/** sso records the event. */
const revokeOf = (tx: Transaction, tenant: string): void =>
  recordRevocation(tx, [`tenant:${tenant || platformPlace}`]);

/** Lifts limits, and ends the links and sessions under them. */
export async function settle(
  database: Database,
  request: SettleRequest,
  call: Call,
): Promise<void> {
  const { tenant, provider, ids, withdrawn } = request;
  await database.transaction(
    { call, tenant: null, row: rowOf.provider(tenant, provider) },
    async (tx) => {
      revokeOf(tx, tenant);
      await removeUnconfirmed(tx, request, ids, { others: !withdrawn });
      // In a statement of its own, which sees the sign-ins that the removal has waited for.
      if (!withdrawn) await endUnconfirmed(tx, request);
    },
  );
}

/**
 * Whether a sign-in is under an unconfirmed change. Throws if the change under which sso verified it
 * has been settled since, and for a provider of the platform, which opens nothing until it is
 * confirmed.
 */
export async function isUnconfirmed(
  tx: Transaction,
  { tenant, provider, vouch: id }: { tenant: string; provider: string; vouch: string },
): Promise<boolean> {
  const ids = await holdUnconfirmed(tx, { tenant, provider });
  if (id !== '' && !ids.includes(id))
    throw denied('the provider was changed during the sign-in', 'FLOW_UNKNOWN');
  if (ids.length > 0 && tenant === '')
    throw denied('the provider is not confirmed', 'PROVIDER_UNCONFIRMED');
  return ids.length > 0;
}
