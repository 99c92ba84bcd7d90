import { type Caller, normaliseEmail } from '@bailiwick/contract';
import { failedPrecondition } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import type { DomainSuggestionSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { addressOf } from '../../addresses.ts';
import type { DomainDeps } from '../deps.ts';
import { findJoinableDomain, findProviderOfDomain, type JoinableDomain } from '../queries.ts';

// Users join by the verified address of their own session. An address in the request would prove
// nothing.

type Deps = Pick<DomainDeps, 'database' | 'ownAdmission' | 'authority' | 'publicUrl'>;

const joinableDomainOf = async (
  { database }: Pick<Deps, 'database'>,
  { email, mailboxUnproven }: Caller,
): Promise<JoinableDomain | undefined> =>
  // The address of a social sign-in may have changed hands since the provider verified it.
  email === '' || mailboxUnproven
    ? undefined
    : findJoinableDomain(database, normaliseEmail(email).domain);

/**
 * The tenants that the caller may join: at most one, because only one tenant can verify the domain.
 */
export async function suggestionsFor(
  deps: Deps,
  call: Call,
): Promise<Array<MessageInitShape<typeof DomainSuggestionSchema>>> {
  const { caller } = call;
  const domain = await joinableDomainOf(deps, caller);
  if (!domain) return [];
  const { tenant, name } = domain;
  const { tenants: own } = await deps.authority.listUserTenants({ userId: caller.id }, call);
  if (own.some(({ id }) => id === tenant)) return [];
  const provider = await findProviderOfDomain(deps.database, name);
  return [{ tenant, name, redirect: provider ? addressOf(deps.publicUrl, provider, 'login') : '' }];
}

/**
 * Adds the caller to the tenant. Tenants without joining, foreign tenants and unknown tenants
 * return the same error.
 */
export async function joinByAddress(deps: Deps, tenant: string, call: Call): Promise<void> {
  const domain = await joinableDomainOf(deps, call.caller);
  if (domain?.tenant !== tenant)
    throw failedPrecondition(
      'your email domain does not allow joining this tenant',
      'NO_SUGGESTION',
    );
  await deps.ownAdmission.join(
    {
      ...joinArguments(domain),
      userId: call.caller.id,
      ip: call.caller.ip,
      userAgent: call.caller.userAgent,
      byUser: true,
      sessionId: call.caller.credentialId,
    },
    call,
    { signal: call.signal },
  );
}

/** The arguments of a join through a domain, without a provider. */
export const joinArguments = ({ tenant, defaultRole, giver }: JoinableDomain) => ({
  tenant,
  mayJoin: true,
  defaultRoles: defaultRole === '' ? [] : [defaultRole],
  provider: '',
  ...(giver && { giver }),
});
