import type { DomainSuggestionSchema } from '@bailiwick/proto/gen/bailiwick/sso/v1/domain_pb.ts';
import type { Caller } from '@bailiwick/shared/caller.ts';
import type { Call } from '@bailiwick/shared/dispatch.ts';
import { normaliseEmail } from '@bailiwick/shared/email.ts';
import { failedPrecondition } from '@bailiwick/shared/errors.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { addressOf } from '../../providers/record.ts';
import type { DomainDeps } from '../deps.ts';
import { findGate, findProviderOfDomain, type Gate } from '../queries.ts';

// People join by the verified address of their own session and by no other: what a request says of it would prove nothing.

type Deps = Pick<DomainDeps, 'database' | 'admission' | 'authority' | 'publicUrl'>;

const gateOf = async (
  { database }: Pick<Deps, 'database'>,
  { email }: Caller,
): Promise<Gate | undefined> =>
  email === '' ? undefined : findGate(database, normaliseEmail(email).domain);

/** The tenants that the caller may join: one at most, since one has verified the domain. */
export async function suggestionsFor(
  deps: Deps,
  caller: Caller,
): Promise<Array<MessageInitShape<typeof DomainSuggestionSchema>>> {
  const gate = await gateOf(deps, caller);
  if (!gate) return [];
  const { tenant, name } = gate;
  const { tenants: own } = await deps.authority.listUserTenants({ userId: caller.id });
  if (own.some(({ id }) => id === tenant)) return [];
  const provider = await findProviderOfDomain(deps.database, name);
  return [{ tenant, name, redirect: provider ? addressOf(deps.publicUrl, provider, 'login') : '' }];
}

/** Makes the caller a member of the tenant. Tenants that take nobody in, foreign ones and those that there are not answer alike. */
export async function joinByAddress(
  deps: Deps,
  tenant: string,
  { caller, signal }: Call,
): Promise<void> {
  const gate = await gateOf(deps, caller);
  if (gate?.tenant !== tenant)
    throw failedPrecondition(
      'the tenant takes nobody in by an address like yours',
      'NO_SUGGESTION',
    );
  await deps.admission.join(
    { ...admittedBy(gate), userId: caller.id, ip: caller.ip, userAgent: caller.userAgent },
    { signal },
  );
}

/** What somebody gets who joins through a domain. There is no provider in it. */
export const admittedBy = ({ tenant, defaultRole }: Gate) => ({
  tenant,
  mayJoin: true,
  defaultRoles: defaultRole === '' ? [] : [defaultRole],
  provider: '',
});
