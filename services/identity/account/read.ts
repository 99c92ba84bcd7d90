import type { Loaded, RightsCache, RightsKey } from '@bailiwick/broker';
import { notFound } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  Authority,
  UserTenant,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import {
  type Account,
  type AccountGetResponse,
  AccountGetResponseSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/account_pb.ts';
import type { Database } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { create } from '@bufbuild/protobuf';
import { userRecord } from '../users/entities.ts';
import { findUsers } from '../users/queries.ts';

type Deps = {
  database: Database;
  authority: Pick<PeerClient<typeof Authority>, 'listUserTenants'>;
  rightsCache: RightsCache;
};

/**
 * The caller's own account, which applications read with each page. It is cached, like
 * the rights of the caller: a change of the user, of a membership or of a tenant drops it before the
 * reply. A sign-in drops it by the log of revocations alone, and its own session is not cached yet:
 * only the user's other sessions may see the LastLoginAt before it for two seconds.
 */
export const readHandlers = (deps: Deps): Pick<Handlers<typeof Account>, 'get'> => ({
  get(_request, call) {
    const { id, credentialId, limitedTo, assurance } = call.caller;
    return deps.rightsCache.getOrLoad(
      `account ${id} ${credentialId} ${limitedTo} ${assurance}`,
      () => load(deps, call),
    );
  },
});

async function load(
  { database, authority }: Deps,
  call: Call,
): Promise<Loaded<AccountGetResponse>> {
  const { caller } = call;
  const [[user], { tenants, suspended, cacheKeys }] = await Promise.all([
    findUsers(database, [caller.id]),
    authority.listUserTenants({ userId: caller.id, withSuspended: true }, call),
  ]);
  if (!user) throw notFound('user');
  const isShown = ({ id }: UserTenant) => caller.limitedTo === '' || id === caller.limitedTo;
  const response = create(AccountGetResponseSchema, {
    user: userRecord(user),
    tenants: tenants.filter(isShown).map(accountTenant),
    suspendedTenants: suspended.filter(isShown).map(({ id, slug, name }) => ({ id, slug, name })),
    limitedTo: caller.limitedTo,
    assurance: caller.assurance,
  });
  const keys: RightsKey[] = [
    ...(cacheKeys as RightsKey[]),
    `credential:${caller.credentialId}`,
    `account:${caller.id}`,
  ];
  const bytes = 1024 + 256 * keys.length;
  return { value: response, keys, bytes, lastsMs: Number.POSITIVE_INFINITY };
}

// A copy: a peer's message carries its own type.
const accountTenant = ({
  id,
  slug,
  name,
  appUrl,
  requireFactor,
  factorRequiredFrom,
}: UserTenant) => ({
  id,
  slug,
  name,
  appUrl,
  requireFactor,
  ...(factorRequiredFrom ? { factorRequiredFrom } : {}),
});
