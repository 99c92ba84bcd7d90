import type { Caller } from '@bailiwick/shared/caller.ts';
import { failedPrecondition } from '@bailiwick/shared/errors.ts';

/**
 * Throws failed_precondition for a person who has not come through a provider of the tenant ("" = it is being made, and
 * has none): whoever requires single sign-on where it does not work would lock everybody out, themselves first. Bots and
 * the platform are not locked out by it, and can take it back.
 */
export function assertSsoProven({ type, ssoTenant }: Caller, tenant: string): void {
  if (type !== 'user' || (tenant !== '' && ssoTenant === tenant)) return;
  const message =
    "Tenant.Settings.RequireSso can be switched on in a session that came from a provider of the tenant, or with a bot's key";
  throw failedPrecondition(message, 'SSO_UNPROVEN');
}
