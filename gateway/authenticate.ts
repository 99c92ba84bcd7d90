import { Buffer } from 'node:buffer';
import {
  Authority,
  type EffectiveResponse,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import {
  Credentials,
  type ResolveResponse,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import type { Operation } from '@bailiwick/proto/operation.ts';
import { permissionBitmap } from '@bailiwick/proto/permissions.ts';
import { type Caller, recentLoginMs } from '@bailiwick/shared/caller.ts';
import { unauthenticated } from '@bailiwick/shared/errors.ts';
import { createNetworks } from '@bailiwick/shared/networks.ts';
import type { Memory, RightsKey } from '@bailiwick/shared/revocation.ts';
import { asService } from '@bailiwick/shared/rpc.ts';
import { tokenHash, tokenKind } from '@bailiwick/shared/tokens.ts';
import { create } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { createClient, type Transport } from '@connectrpc/connect';

/** What is known of a request before its credential is looked at. */
export type RequestOrigin = { ip: string; userAgent: string; requestId: string; origin: string };

export type Principal = ResolveResponse;

export type Authenticator = ReturnType<typeof createAuthenticator>;

const workerPermissions = permissionBitmap((permission) => permission === 'iam.internal.deliver');

/**
 * Credential → principal → caller with its permissions. Both steps are remembered for a lease, which ends the moment
 * a service takes rights away: a busy caller costs no look-up, and what was revoked never works once more.
 */
export function createAuthenticator(
  peers: { identity: Transport; access: Transport },
  memory: Memory,
) {
  const credentials = createClient(Credentials, asService(peers.identity, 'gateway'));
  const authority = createClient(Authority, asService(peers.access, 'gateway'));

  /**
   * A session obeys the limits of every tenant that it was used in, from then on: so nobody's sessions are shortened by a
   * tenant that they have nothing to do with. Throws unauthenticated where it has ended by that.
   */
  async function limitSession(
    { credentialId, signedInAt, expiresAt, idleMinutes }: Principal,
    wanted: EffectiveResponse,
  ): Promise<void> {
    const { sessionIdleMinutes: idle, sessionMaxMinutes: max } = wanted;
    if (!signedInAt || !expiresAt) return;
    const endsSooner = max > 0 && timestampMs(signedInAt) + max * 60_000 < timestampMs(expiresAt);
    if (!endsSooner && (idle === 0 || idle >= idleMinutes)) return;
    await credentials.limitSession({ sessionId: credentialId, idleMinutes: idle, maxMinutes: max });
  }

  return {
    /**
     * The principal behind a token. Throws unauthenticated, for junk without asking anybody. What is remembered of a
     * bot's key holds for all addresses, so each call's own is looked at here: from elsewhere the key is no credential.
     */
    async principal(token: string, ip: string): Promise<Principal> {
      const kind = tokenKind(token);
      if (kind !== 'session' && kind !== 'botKey' && kind !== 'worker') throw unauthenticated();
      const hash = tokenHash(token);
      const { principal, serves } = await memory.recall(
        `credential ${Buffer.from(hash).toString('base64')}`,
        async () => {
          const resolved = await credentials.resolve({ tokenHash: hash, ip });
          const value = {
            principal: resolved,
            serves:
              resolved.allowedIps.length === 0 ? anywhere : createNetworks(resolved.allowedIps),
          };
          const keys: RightsKey[] = [rightsKeyOf(resolved), `credential:${resolved.credentialId}`];
          // With a provider that is forgotten end all the sessions that came from it.
          if (resolved.ssoTenant !== '') keys.push(`tenant:${resolved.ssoTenant}`);
          return resolved.expiresAt
            ? { value, keys, endsAt: timestampMs(resolved.expiresAt) }
            : { value, keys };
        },
      );
      if (!serves(ip)) throw unauthenticated();
      return principal;
    },

    /** The caller of an operation in a tenant ("" = the caller's only one). */
    async caller(
      principal: Principal,
      operation: Operation,
      tenant: string,
      origin: RequestOrigin,
    ): Promise<Caller> {
      const { type, id, credentialId, email, ssoTenant, limitedTo } = principal;
      const base = { ...origin, type, id, credentialId, email, ssoTenant, limitedTo };
      if (type === 'worker')
        return create(CallerSchema, { ...base, platformPermissions: workerPermissions });
      if (!needsPermissions(operation)) return create(CallerSchema, base);
      // By the credential and not by the person: of two sessions one may have come from the tenant's provider.
      const effective = await memory.recall(`rights ${credentialId} ${tenant}`, async () => {
        const { tenant: botTenant, narrowedTo } = principal;
        const value = await authority.effective({
          principalType: type,
          principalId: id,
          tenant,
          botTenant,
          narrowedTo,
          ssoTenant,
          limitedTo,
        });
        await limitSession(principal, value);
        // A bot also hangs on its own tenant, wherever it calls.
        return {
          value,
          keys: [
            rightsKeyOf(principal),
            `credential:${credentialId}`,
            `tenant:${value.tenant}`,
            `tenant:${botTenant}`,
          ],
        };
      });
      return create(CallerSchema, {
        ...base,
        tenant: effective.tenant,
        permissions: effective.permissions,
        platformPermissions: effective.platformPermissions,
        grants: effective.grants,
        narrowedTo: principal.narrowedTo,
        ssoRequired: effective.ssoRequired,
        suspendedName: effective.suspendedName,
        staleLogin: effective.recentLogin && !isRecent(principal),
      });
    },

    anonymous: (origin: RequestOrigin): Caller =>
      create(CallerSchema, { ...origin, type: 'anonymous' }),
  };
}

const anywhere = () => true;

const isRecent = ({ signedInAt }: Principal): boolean =>
  signedInAt !== undefined && Date.now() - timestampMs(signedInAt) < recentLoginMs;

const rightsKeyOf = ({ type, id }: Principal): RightsKey =>
  type === 'bot' ? `bot:${id}` : `user:${id}`;

/** Whether what an operation allows depends on more than who is calling. */
const needsPermissions = (operation: Operation) =>
  operation.allow.some((rule) => rule.kind !== 'self');
