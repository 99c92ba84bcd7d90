import { leaseMs, type RightsKey } from '@bailiwick/broker';
import { lastsOf, permissionBitmap, portalCaller } from '@bailiwick/contract';
import { ResolveResponseSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { PortalCredentials } from '@bailiwick/proto/gen/bailiwick/notifications/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { create } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import type { Resolved } from './principal.ts';

/**
 * Resolves the sessions of the receivers' portal. notifications, which stores them, says which
 * endpoint and which permissions a session has. The function throws unauthenticated.
 */
export function createPortalSessions(notifications: Transport) {
  const credentials = createClient(PortalCredentials, asService(notifications, 'gateway'));
  return async (tokenHash: Uint8Array): Promise<Resolved> => {
    const portal = await credentials.resolve({ tokenHash });
    const { id, tenant, endpoint, abilities, expiresAt } = portal;
    const portalSession = {
      type: portalCaller,
      id,
      credentialId: id,
      tenant,
      ...(expiresAt && { expiresAt }),
    };
    return {
      principal: {
        ...create(ResolveResponseSchema, portalSession),
        clientId: '',
        rightsOf: id,
        rightsKeys: keysOf(portal),
        portal: { endpoint, permissions: permissionsOf(abilities) },
      },
      keys: keysOf(portal),
      lastsMs: lastsOf(portal, leaseMs),
      // A link ends by its age alone.
      noteUse: () => {},
    };
  };
}

/** A link shows the state and the log. Its abilities add one permission each. */
const permissionsOf = (abilities: readonly string[]) => {
  const permissions = ['read', ...abilities].map((ability) => `iam.internal.portal.${ability}`);
  return permissionBitmap((permission) => permissions.includes(permission));
};

type Portal = {
  id: string;
  tenant: string;
  endpoint: string;
  creatorType: string;
  creatorId: string;
};

/** The events that end a session: of its link, its endpoint, its tenant and the link's creator. */
const keysOf = ({ id, tenant, endpoint, creatorType, creatorId }: Portal): RightsKey[] => [
  `credential:${id}`,
  `credential:${endpoint}`,
  `tenant:${tenant}`,
  creatorType === 'bot' ? `bot:${creatorId}` : `user:${creatorId}`,
];
