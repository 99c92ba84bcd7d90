import type { ImportedMembershipInput, ImportedUserInput } from '../gen/types.ts';
import { ImportError } from './error.ts';

/**
 * The tenants of a user of the file. `membership` is that of the import. A user with roles or
 * groups of its own in that tenant gets these instead.
 *
 * @throws ImportError for a user who names another tenant than the `membership`
 */
export function tenantsOf(
  { Tenants: named = [] }: Pick<ImportedUserInput, 'Tenants'>,
  membership: ImportedMembershipInput | undefined,
): Pick<ImportedUserInput, 'Tenants'> {
  if (!membership) {
    if (named.some(({ Tenant }) => Tenant === ''))
      throw new ImportError(
        'the user has roles or groups, and neither the user nor the import has a tenant',
      );
    return named.length === 0 ? {} : { Tenants: named };
  }
  if (named.length > 1) throw new ImportError('the user names several tenants, and the import one');
  const foreign = named.find(({ Tenant }) => Tenant !== '' && Tenant !== membership.Tenant);
  if (foreign)
    throw new ImportError(`the user names tenant ${foreign.Tenant}, and the import another one`);
  const [own] = named;
  const filled = (list: readonly string[] | undefined, other: readonly string[] | undefined) =>
    list && list.length > 0 ? list : (other ?? []);
  return {
    Tenants: [
      {
        Tenant: membership.Tenant,
        Roles: filled(own?.Roles, membership.Roles),
        Groups: filled(own?.Groups, membership.Groups),
      },
    ],
  };
}
