import { leaseMs } from '@bailiwick/broker';
import {
  type Caller,
  createToken,
  durationOf,
  hasPermission,
  lastsOf,
  type Origin,
  portalCaller,
  timeOf,
  tokenHash,
  tokenKind,
} from '@bailiwick/contract';
import { deadToken, unauthenticated } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  Authority,
  EffectiveResponse,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { PortalCredentials } from '@bailiwick/proto/gen/bailiwick/notifications/v1/internal_pb.ts';
import type { Database, Limiter } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { rowOf } from '../rows.ts';
import {
  beginSession,
  endSession,
  findById,
  findBySession,
  findByToken,
  type LivePortal,
} from './queries.ts';
import { recordPortal } from './records.ts';

// A link opens a session, and the gateway asks which endpoint a session is about. Both ask access
// whether the link still works: its creator may have lost the permission, or the tenant is suspended.

export type SessionDeps = {
  database: Database;
  limiter: Limiter;
  authority: Pick<PeerClient<typeof Authority>, 'effective'>;
};

const sessionMinutes = 60;

/** Uses of one link: each writes an audit entry. */
const opens = { count: 30, seconds: 60 * 60 };

export function credentialsHandlers(deps: SessionDeps): Handlers<typeof PortalCredentials> {
  return {
    async resolve({ tokenHash: hash }, call) {
      const portal = await findBySession(deps.database, hash);
      if (!portal) throw unauthenticated();
      const rights = await rightsOfCreator(deps, portal, call);
      if (!allows(rights)) throw unauthenticated();
      const { id, tenant, endpoint, abilities, creatorType, createdBy: creatorId } = portal;
      const expiresAt = timeOf(portal.expiresAt);
      const unchangedFor = durationOf(Math.min(lastsOf(rights, leaseMs), portal.expiresInMs));
      return { id, tenant, endpoint, abilities, creatorType, creatorId, expiresAt, unchangedFor };
    },
  };
}

/** Whether the session of a running call still is one. @throws unauthenticated */
export async function assertPortal(
  deps: Pick<SessionDeps, 'database' | 'authority'>,
  { tenant, id }: Pick<Caller, 'tenant' | 'id'>,
  origin: Origin,
): Promise<void> {
  const portal = await findById(deps.database, tenant, id);
  if (!portal || !(await isAllowed(deps, portal, origin))) throw unauthenticated();
}

/** Exchanges the token of a link for the token of its session, which replaces an earlier one. */
export async function openPortal(deps: SessionDeps, link: string, call: Call) {
  const { database, limiter } = deps;
  const portal =
    tokenKind(link) === 'portalLink' ? await findByToken(database, tokenHash(link)) : undefined;
  if (!portal) throw deadToken();
  const { tenant, id } = portal;
  await limiter.take(`portal ${tenant} ${id}`, opens);
  if (!(await isAllowed(deps, portal, call))) throw deadToken();
  const token = createToken('portalSession');
  const scope = { call: asPortal(call, portal), tenant, row: rowOf.portal(tenant, id) };
  return database.transaction(scope, async (tx) => {
    const expiresAt = await beginSession(tx, portal, tokenHash(token), sessionMinutes);
    if (expiresAt === undefined) throw deadToken();
    recordPortal(tx, 'opened', portal);
    return { token, expiresAt: timeOf(expiresAt) };
  });
}

/** Ends the session of the link that calls. */
export async function closePortal({ database }: SessionDeps, call: Call): Promise<void> {
  const { tenant, id, endpoint } = call.caller;
  await database.transaction({ call, tenant, row: rowOf.portal(tenant, id) }, async (tx) => {
    await endSession(tx, tenant, id);
    recordPortal(tx, 'closed', { tenant, id, endpoint, name: '' });
  });
}

/** The caller presented the token of the link, so the audit names the link. */
const asPortal = (call: Call, { tenant, id }: LivePortal): Call => ({
  ...call,
  caller: { ...call.caller, type: portalCaller, id, credentialId: id, tenant },
});

type Authorities = Pick<SessionDeps, 'authority'>;
type Creator = Pick<LivePortal, 'tenant' | 'creatorType' | 'createdBy'>;

/**
 * Whether the tenant is active, and the creator of a link holds the permissions to read and to change
 * endpoints there.
 */
export const isAllowed = async (deps: Authorities, creator: Creator, call: Origin) =>
  allows(await rightsOfCreator(deps, creator, call));

const allows = ({ permissions }: Pick<EffectiveResponse, 'permissions'>): boolean =>
  ['iam.webhooks.read', 'iam.webhooks.write'].every((permission) =>
    hasPermission(permissions, permission),
  );

/**
 * The rights of a link's creator in its tenant. No session of the creator is involved: the tenant's
 * demands on sessions do not count. Grants of a bot on the platform do not count either: its own
 * tenant may be another one, and suspended.
 */
function rightsOfCreator(
  { authority }: Authorities,
  { tenant, creatorType, createdBy }: Creator,
  call: Origin,
) {
  return authority.effective(
    {
      principalType: creatorType,
      principalId: createdBy,
      tenant,
      ...(creatorType === 'bot' && { botTenant: tenant, limitedTo: tenant }),
      ssoTenant: tenant,
      assurance: 'phishing_resistant',
    },
    call,
  );
}
