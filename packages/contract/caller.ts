import { recentLoginRequired } from '@bailiwick/errors';
import { type Caller, CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create } from '@bufbuild/protobuf';
import { accountScope } from './permission-patterns.ts';
import { hasPermission } from './permissions.ts';

export type { Caller };

const blank = { ...create(CallerSchema) };

/**
 * A caller with these fields. It is a plain object: copying or reading a message as the library makes
 * it costs the engine twenty times as much.
 */
export const newCaller = (fields: Partial<Omit<Caller, '$typeName' | '$unknown'>>): Caller => ({
  ...blank,
  ...fields,
});

/** The caller of a service that calls in its own name. */
export const serviceCaller = (service: string, requestId = ''): Caller =>
  newCaller({ type: 'service', id: service, requestId });

/** Whether the caller has a permission in its token's tenant. */
export function holdsInTenant(caller: Caller, permission: string, tenant: string): boolean {
  return tenant !== '' && caller.tenant === tenant && hasPermission(caller.permissions, permission);
}

/** Whether the caller has a permission on the platform, in no tenant. */
export function holdsOnPlatform(caller: Caller, permission: string): boolean {
  return hasPermission(caller.platformPermissions, permission);
}

/** Whether the caller may use the person's own account: an access token needs a scope for it. */
export const isForAccount = ({ clientId, narrowedTo }: Caller): boolean =>
  clientId === '' || narrowedTo.includes(accountScope);

/** The type of a caller token in which an operator acts as a user. */
export const supportCaller = 'support';

/** The type of a session of the receivers' portal: it holds rights on one webhook endpoint only. */
export const portalCaller = 'portal';

/**
 * The caller of a support session as handlers see it: the user, with the operator beside it. Only
 * the pipeline sees the other type, so that a process that does not know it rejects the call.
 */
export const asSupportedUser = (caller: Caller): Caller =>
  caller.type === supportCaller ? { ...caller, type: 'user' } : caller;

/** The id of the grant that gives the caller a permission, "" if none does. */
export function grantOf({ grants }: Caller, permission: string): string {
  return grants.find((grant) => hasPermission(grant.permissions, permission))?.id ?? '';
}

/**
 * @throws permission_denied if the caller's tenant requires a more recent sign-in for sensitive
 * changes: keys, providers, domains and owners
 */
export function assertRecentLogin(caller: Caller): void {
  if (caller.staleLogin) throw recentLoginRequired();
}
