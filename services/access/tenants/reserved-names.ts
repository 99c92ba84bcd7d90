import { holdsOnPlatform, oneLine, readsLike } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';

// Names that only the platform gives to a tenant: with the name of the service, a tenant's pages and
// mails would pass for the service's own.

/** The names of a tenant that people see. */
type Names = { name?: string | undefined; branding?: { name?: string | undefined } | undefined };

/** Throws for a new name that is reserved. A stored one may be sent again. */
export function assertNotReserved(
  reserved: readonly string[],
  input: Names,
  stored: Names,
  { caller }: Call,
): void {
  if (holdsOnPlatform(caller, 'iam.platform.tenants.write')) return;
  const changes = [
    ['Tenant.Name', input.name, stored.name],
    ['Tenant.Branding.Name', input.branding?.name, stored.branding?.name],
  ] as const;
  for (const [field, name = '', before = ''] of changes)
    if (name !== oneLine(before) && readsLike(name, reserved))
      throw failedPrecondition(`${field} is reserved for the platform`, 'NAME_RESERVED', {
        Field: field,
      });
}
