import type { ImportedMembershipInput, ImportedUserInput } from '../gen/types.ts';
import { ImportError } from './error.ts';

/**
 * The tenants of a user of the file. `given` is the membership of the import. A user with roles or
 * groups of its own in that tenant gets these instead.
 *
 * @throws ImportError for a user who names another tenant than `given`
 */
export function tenantsOf(
  { Tenants: named = [] }: Pick<ImportedUserInput, 'Tenants'>,
  given: ImportedMembershipInput | undefined,
): Pick<ImportedUserInput, 'Tenants'> {
  if (!given) {
    if (named.some(({ Tenant }) => Tenant === ''))
      throw new ImportError(
        'the user has roles or groups, and neither the user nor the import has a tenant',
      );
    return named.length === 0 ? {} : { Tenants: named };
  }
  if (named.length > 1) throw new ImportError('the user names several tenants, and the import one');
  const foreign = named.find(({ Tenant }) => Tenant !== '' && Tenant !== given.Tenant);
  if (foreign)
    throw new ImportError(`the user names tenant ${foreign.Tenant}, and the import another one`);
  const [own] = named;
  const filled = (list: readonly string[] | undefined, other: readonly string[] | undefined) =>
    list && list.length > 0 ? list : (other ?? []);
  return {
    Tenants: [
      {
        Tenant: given.Tenant,
        Roles: filled(own?.Roles, given.Roles),
        Groups: filled(own?.Groups, given.Groups),
      },
    ],
  };
}
