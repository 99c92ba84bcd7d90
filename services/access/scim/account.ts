import type { Email } from '@bailiwick/contract';
import { denied, temporaryRight } from '@bailiwick/errors';
import type { Run } from '@bailiwick/store';
import { findSubjectGrants, owns } from '../decisions/context.ts';
import { findEnding, findLacking, rolesOf } from '../decisions/delegation.ts';
import type { Source } from '../decisions/sources.ts';
import { findUserByEmail } from '../directory.ts';
import { rowOf } from '../rows.ts';
import { isKnownElsewhere } from '../tenants/queries.ts';
import { assertMayEnd } from '../tenants/status.ts';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { profileOf } from './people.ts';
import { mutability } from './protocol/problems.ts';
import type { Resource } from './protocol/resource.ts';
import { type PersonRow } from './queries.ts';
import type { Account } from './settle.ts';

// The accounts of people at identity, and what a directory may do with them.

export type PersonProfile = { resource: Resource; email: Email };

/** `isActive`: undefined = the directory has not said, and the status stays. */
export type DesiredPerson = PersonProfile & { isActive: boolean | undefined };

/** Asks identity for the account of a person, which it creates for active ones in the domains. */
export async function findAccount(
  { directory }: ScimDeps,
  tenant: string,
  { resource, email, isActive }: DesiredPerson,
  call: ScimRequest['call'],
): Promise<Account> {
  const profile = profileOf(resource, email);
  if (isActive)
    return directory.provisionUser({ tenant, profile, actor: call.caller }, call, {
      signal: call.signal,
    });
  // An inactive person may be a member already, whom the directory now disables.
  const user = await findUserByEmail(directory, email.address, call);
  return { vouched: false, created: false, ...(user && { user }) };
}

/**
 * Throws for an account whose address is not the directory's to change. A person who receives the
 * mail of an account can sign in to it, so the maker of the directory's key must be able to grant all
 * that the member holds in the tenant, without an end. The rights of the member in other
 * tenants and on the platform are out of its reach.
 */
export async function assertMayMove(
  run: Run,
  { maker }: Source,
  tenant: string,
  userId: string,
): Promise<void> {
  if (owns(await findSubjectGrants(run, { subject: userId, tenant, resources: [''] })))
    throw mutability('only the owner can change the address of an owner');
  if (await isKnownElsewhere(run, userId, tenant))
    throw mutability('only the member can change the address of a member of other tenants');
  const roles = await rolesOf(run, { tenant, type: 'user', id: userId });
  const lacking = await findLacking(run, maker, tenant, { roles });
  if (lacking !== undefined)
    throw denied(
      `the member holds ${lacking}, which the maker of the directory's key may not grant: only the member can change the address`,
      'SOURCE_LACKS_RIGHTS',
      { Permission: lacking },
    );
  const ending = await findEnding(run, maker, tenant, { roles });
  if (ending) throw temporaryRight(ending.permission, ending.endsAt);
}

/** Throws for a member whom the directory must not disable, before identity changes the account. */
export async function assertMayDisable(
  { database }: ScimDeps,
  { tenant, userId, memberStatus }: PersonRow,
  { call, source }: Pick<ScimRequest, 'call' | 'source'>,
): Promise<void> {
  if (memberStatus === 'disabled') return;
  await database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, (tx) =>
    assertMayEnd(tx, call, { tenant, userId, what: 'disabled', source }),
  );
}
