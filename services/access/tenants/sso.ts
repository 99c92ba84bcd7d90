import type { Caller } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { StoredSettings } from './entities.ts';

/**
 * Throws failed_precondition unless the user's session came from a provider of the tenant ("" = a
 * new tenant, which has none). Requiring SSO before it works would lock out all users, the caller
 * first. Bots and the platform stay able to undo it.
 */
export function assertSsoProven({ type, ssoTenant }: Caller, tenant: string): void {
  if (type !== 'user' || (tenant !== '' && ssoTenant === tenant)) return;
  const message =
    "Tenant.Settings.RequireSso can be switched on in a session that came from a provider of the tenant, or with a bot's key";
  throw failedPrecondition(message, 'SSO_UNPROVEN');
}

/**
 * Throws failed_precondition if the allowed methods of a tenant ("" = a new one) would exclude the
 * caller's own session.
 */
export function assertMethodKept(
  { ssoTenant }: Pick<Caller, 'ssoTenant'>,
  tenant: string,
  methods: StoredSettings['allowedMethods'],
): void {
  const isOwn = ssoTenant === '' || ssoTenant === tenant;
  if (isOwn || !methods || methods.includes('social')) return;
  const message =
    'Tenant.Settings.AllowedMethods can exclude social in a session that came another way';
  throw failedPrecondition(message, 'METHOD_IN_USE');
}
