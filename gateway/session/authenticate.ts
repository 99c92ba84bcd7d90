import { Buffer } from 'node:buffer';
import { leaseMs, type RightsCache } from '@bailiwick/broker';
import {
  type Caller,
  createNetworks,
  lastsOf,
  newCaller,
  type Operation,
  permissionBitmap,
  recentLoginMs,
  sessionProof,
  tokenHash,
  tokenKind,
  tokenRefusal,
} from '@bailiwick/contract';
import { unauthenticated } from '@bailiwick/errors';
import {
  Authority,
  type EffectiveResponse,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { createAccessTokens, isAccessToken } from './access-tokens.ts';
import { createPortalSessions } from './portal-sessions.ts';
import { keysOf, moreKeysOf, type Principal, type Resolved } from './principal.ts';
import { loadRights } from './rights.ts';
import type { Uses } from './uses.ts';

/** The client's data on a request, known before its credential is checked. */
export type RequestOrigin = { ip: string; userAgent: string; requestId: string; origin: string };

/**
 * The kinds of tokens that identity stores. notifications stores those of the portal, and the others
 * are access tokens, which sso verifies.
 */
const storedKinds: readonly string[] = ['session', 'botKey', 'worker', 'support'];

/** The further keys that end the caller's rights, beside its ids. */
const endsOf = ({ type, tenant, rightsKeys }: Principal) => ({
  rightsKeys,
  homeTenant: type === 'bot' ? tenant : '',
});

export type Authenticator = ReturnType<typeof createAuthenticator>;

const workerPermissions = permissionBitmap((permission) => permission === 'iam.internal.deliver');

/**
 * Resolves a credential to a principal, and a principal to a caller with permissions. Both steps
 * are cached for minutes at most, and until a service revokes rights: a busy caller costs no
 * look-up, and a revoked right never works again.
 */
export function createAuthenticator(
  peers: Record<'identity' | 'access' | 'sso' | 'notifications', Transport>,
  rightsCache: RightsCache,
  uses: Uses,
) {
  const credentials = createClient(Credentials, asService(peers.identity, 'gateway'));
  const resolveAccessToken = createAccessTokens(peers.sso, credentials, uses);
  const resolvePortalSession = createPortalSessions(peers.notifications);
  const authority = createClient(Authority, asService(peers.access, 'gateway'));

  function resolverOf(token: string) {
    const kind = tokenKind(token) ?? '';
    if (storedKinds.includes(kind))
      return (tokenHash: Uint8Array, ip: string) =>
        resolveCredential({ credentials, uses }, { tokenHash, ip, kind });
    if (kind === 'portalSession') return resolvePortalSession;
    if (!isAccessToken(token)) throw unauthenticated();
    return (hash: Uint8Array, ip: string) => resolveAccessToken(token, nameOf(hash), ip);
  }

  function principalLoader(token: string, ip: string) {
    const resolve = resolverOf(token);
    return async () => cacheable(await resolve(tokenHash(token), ip));
  }

  return {
    /**
     * The loader of the principal behind a token, with all that ends it. `serves`: whether the
     * credential may be used from an address. @throws unauthenticated, also for a malformed token
     */
    principalLoader,

    /** Loads the principal's rights in a tenant, with all that ends them. */
    loadRights: (principal: Principal, tenant: string) =>
      loadRights({ authority, credentials }, principal, tenant),

    /**
     * The principal behind a token. A malformed token is rejected without a look-up. The cached
     * answer for a bot key holds for all addresses, so each call's own address is checked here:
     * from any other address the key is not a credential. @throws unauthenticated
     */
    async principal(token: string, ip: string): Promise<Principal> {
      const load = principalLoader(token, ip);
      const { principal, serves, noteUse } = await rightsCache.getOrLoad(
        `credential ${credentialName(token)}`,
        load,
      );
      if (!serves(ip)) throw unauthenticated();
      noteUse();
      return principal;
    },

    /** The caller of an operation in a tenant. "" stands for the caller's only tenant. */
    async caller(
      principal: Principal,
      operation: Operation,
      tenant: string,
      origin: RequestOrigin,
    ): Promise<Caller> {
      const { type, id, credentialId, clientId, email, mailboxUnproven, narrowedTo } = principal;
      const identity = { type, id, credentialId, clientId, narrowedTo, email, mailboxUnproven };
      const base = { ...origin, ...identity, ...endsOf(principal), ...sessionProof(principal) };
      if (type === 'worker') return newCaller({ ...base, platformPermissions: workerPermissions });
      if (principal.portal) return newCaller({ ...base, ...portalRights(principal) });
      if (!needsPermissions(operation)) return newCaller(base);
      // Cached by credential, not by user: only one of a user's two sessions may come from the
      // tenant's provider. And by its proof, which a revocation may have changed since the principal
      // was loaded.
      const { effective, check } = await rightsCache.getOrLoad(
        `rights ${principal.rightsOf} ${tenant} ${Object.values(sessionProof(principal)).join(' ')}`,
        () => loadRights({ authority, credentials }, principal, tenant),
      );
      // The rights of those who answer for the session limit it, so they end with theirs too.
      const rightsKeys = [...base.rightsKeys, ...effective.cacheKeys];
      const staleLogin = effective.recentLogin && !isRecent(principal);
      const refusal = tokenRefusal(check.refusal);
      return newCaller({ ...base, rightsKeys, ...rightsIn(effective), ...refusal, staleLogin });
    },

    anonymous: (origin: RequestOrigin): Caller => newCaller({ ...origin, type: 'anonymous' }),
  };
}

/** The part of a caller that depends on the tenant of the call. */
const rightsIn = (effective: EffectiveResponse) => ({
  tenant: effective.tenant,
  permissions: effective.permissions,
  platformPermissions: effective.platformPermissions,
  grants: effective.grants,
  suspendedName: effective.suspendedName,
});

/** Asks identity for the principal of a token. @throws unauthenticated */
async function resolveCredential(
  { credentials, uses }: { credentials: Client<typeof Credentials>; uses: Uses },
  token: { tokenHash: Uint8Array; ip: string; kind: string },
): Promise<Resolved> {
  const response = await credentials.resolve({ ...token, recordsUses: true });
  const { unchangedFor, firstUseIn, useEvery, ...principal } = response;
  const { credentialId } = principal;
  const more = { clientId: '', rightsOf: credentialId, rightsKeys: moreKeysOf(principal) };
  return {
    principal: { ...principal, ...more },
    keys: keysOf(principal),
    lastsMs: lastsOf({ unchangedFor }, leaseMs),
    noteUse: uses.of(principal, { firstUseIn, useEvery }),
  };
}

/** A principal as the cache of rights takes it. */
function cacheable({ principal, keys, lastsMs, noteUse }: Resolved) {
  const { allowedIps } = principal;
  const serves = allowedIps.length === 0 ? anywhere : createNetworks(allowedIps);
  return { value: { principal, serves, noteUse }, keys, lastsMs };
}

const anywhere = () => true;

const nameOf = (hash: Uint8Array): string => Buffer.from(hash).toString('base64');

/** The name of a credential in a cache, which does not tell it. */
export const credentialName = (token: string): string => nameOf(tokenHash(token));

/** The rights of a portal session: nothing in its tenant but the operations of the portal. */
const portalRights = ({ tenant, portal }: Principal) => ({
  tenant,
  endpoint: portal?.endpoint ?? '',
  platformPermissions: portal?.permissions ?? new Uint8Array(),
});

/** Whether the sign-in, or a factor after it, is recent. */
const isRecent = ({ signedInAt, provenAt = signedInAt }: Principal): boolean =>
  provenAt !== undefined && Date.now() - timestampMs(provenAt) < recentLoginMs;

/** Whether the operation's rules depend on more than the caller's identity. */
const needsPermissions = (operation: Operation) =>
  operation.allow.some((rule) => rule.kind !== 'self');
