import { type Loaded, leaseMs, type RightsKey } from '@bailiwick/broker';
import {
  lastsOf,
  recordLimits,
  type SessionCheck,
  sessionCheckOf,
  sessionProof,
  sessionTimes,
} from '@bailiwick/contract';
import type {
  Authority,
  EffectiveResponse,
} from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Credentials } from '@bailiwick/proto/gen/bailiwick/identity/v1/internal_pb.ts';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { type Principal, rightsKeyOf } from './principal.ts';

// The rights of a principal in a tenant, and whether its session satisfies the tenant.

type Clients = { credentials: Client<typeof Credentials>; authority: Client<typeof Authority> };

type Rights = { effective: Omit<EffectiveResponse, 'unchangedFor'>; check: SessionCheck };

/** Asks access for the principal's rights in a tenant. */
export async function loadRights(
  { authority, credentials }: Clients,
  principal: Principal,
  tenant: string,
): Promise<Loaded<Rights>> {
  const effective = await authority.effective(rightsRequest(principal, tenant));
  return readRights(credentials, principal, tenant, effective);
}

/** The question to access. */
export function rightsRequest(principal: Principal, tenant: string) {
  const { type, id, narrowedTo, tenant: botTenant } = principal;
  const session = sessionTimes(principal);
  return {
    principalType: type,
    principalId: id,
    tenant,
    botTenant,
    narrowedTo,
    ...sessionProof(principal),
    ...(session && { session }),
  };
}

/**
 * Reads the answer of access. It is cached by the credential and the tenant, under a key for each
 * record that it depends on. It ends with the session, and when the answer changes by time alone: a
 * grant ends, the exemption from SSO or the days before a factor is required.
 * @throws unauthenticated if the tenant has ended the session
 */
export async function readRights(
  credentials: Clients['credentials'],
  principal: Principal,
  tenant: string,
  { unchangedFor, ...effective }: EffectiveResponse,
): Promise<Loaded<Rights>> {
  const { credentialId, clientId, ssoTenant, tenant: botTenant } = principal;
  const check = sessionCheckOf(effective, sessionTimes(principal));
  await limitSession(credentials, principal, check);
  // A bot's rights also depend on its own tenant, wherever it calls.
  const keys: RightsKey[] = [
    rightsKeyOf(principal),
    `credential:${credentialId}`,
    `tenant:${effective.tenant}`,
    `tenant:${botTenant}`,
    // A change of its provider limits a session, wherever it is used.
    ...(ssoTenant === '' ? [] : [`tenant:${ssoTenant}` as const]),
    ...(effective.cacheKeys as RightsKey[]),
    // The app's scopes narrow the rights.
    ...(clientId === '' ? [] : [`app:${clientId}` as const]),
  ];
  const sessionMs = check.endsAt
    ? timestampMs(check.endsAt) - Date.now()
    : Number.POSITIVE_INFINITY;
  // Which one is the only tenant of a user depends on the others too.
  const choiceMs = tenant === '' ? leaseMs : Number.POSITIVE_INFINITY;
  const lastsMs = Math.min(sessionMs, choiceMs, lastsOf({ unchangedFor }, leaseMs));
  return { value: { effective, check }, keys, lastsMs };
}

/** Makes the session's record end as access says. @throws unauthenticated if it has ended by that */
async function limitSession(
  credentials: Clients['credentials'],
  principal: Principal,
  check: SessionCheck,
): Promise<void> {
  const limits = recordLimits(principal, check);
  if (limits) await credentials.limitSession(limits);
}
