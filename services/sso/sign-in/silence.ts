import type { Origin } from '@bailiwick/contract';
import type { ProviderValues } from '../providers/api-record.ts';
import { setGroupsStated, setLastWarning } from '../providers/queries.ts';
import { SignInRefused } from '../refusal.ts';
import type { SignInDeps } from './deps.ts';
import type { GroupStatement } from './groups.ts';
import type { Person } from './person.ts';

// A provider that does not state a person's groups does not revoke them. An administrator learns
// of it from the provider's LastWarning.

type Mapping = Pick<ProviderValues, 'groupMappings' | 'absentGroups'>;

/** Whether the roles and groups that were mapped before stay, for at most 30 days. */
export const keepsMapped = (
  { groupMappings, absentGroups }: Mapping,
  { kind }: GroupStatement,
): boolean =>
  groupMappings.length > 0 &&
  (kind === 'unknown' || (kind === 'absent' && absentGroups === 'keep'));

const keptNote =
  'The roles and groups of its mappings stay for 30 days after they were stated last.';
const endedNote = 'The roles and groups of its mappings were revoked.';

/** Stores whether the provider states groups, and warns if it does not. */
export async function reportGroups(
  { database, log }: Pick<SignInDeps, 'database' | 'log'>,
  call: Origin,
  provider: ProviderValues,
  statement: GroupStatement,
  revoked: boolean,
): Promise<void> {
  const { tenant, id, groupMappings, groupsStatedAt } = provider;
  if (groupMappings.length === 0) return;
  // The membership exists: a failure to store this must not lose the sign-in.
  const failed = (error: unknown) =>
    log.warn('storing a warning of a provider failed', { tenant, provider: id, error });
  if (statement.kind === 'stated') return setGroupsStated(database, call, tenant, id).catch(failed);
  const isNew = statement.kind === 'absent' && !groupsStatedAt && !revoked;
  if (isNew) return;
  const keeps = keepsMapped(provider, statement) && !revoked;
  const cause =
    statement.kind === 'unknown'
      ? `A sign-in did not state the groups: ${statement.detail}.`
      : 'A sign-in had no groups claim, which the provider has sent before.';
  const reason = statement.kind === 'unknown' ? 'GROUPS_UNKNOWN' : 'GROUPS_ABSENT';
  const warning = `${reason}: ${cause} ${keeps ? keptNote : endedNote}`;
  log.warn('a provider did not state the groups of a person', { tenant, provider: id, warning });
  await setLastWarning(database, call, tenant, id, warning).catch(failed);
}

/** Warns that the provider's last saver may not grant what the provider would have given. */
export async function reportWithheld(
  { database, log }: Pick<SignInDeps, 'database' | 'log'>,
  call: Origin,
  { tenant, id }: ProviderValues,
  { withheld, lacking }: { withheld: readonly string[]; lacking: string },
): Promise<void> {
  const warning = `GIVER_LACKS_RIGHTS: A sign-in did not receive ${withheld.join(', ')}. The person who saved this provider may not grant ${lacking}. Someone who may saves or confirms it again.`;
  await setLastWarning(database, call, tenant, id, warning).catch((error: unknown) =>
    log.warn('storing a warning of a provider failed', { tenant, provider: id, error }),
  );
}

/** The longest name of an account, which identity cuts longer ones to. */
const maxName = 128;

/** Notes once that a provider's names are cut. It hides no other warning. */
export async function reportCutNames(
  { database, log }: Pick<SignInDeps, 'database' | 'log'>,
  call: Origin,
  { tenant, id, lastWarning }: ProviderValues,
  { name, givenName, familyName }: Pick<Person, 'name' | 'givenName' | 'familyName'>,
): Promise<void> {
  const isCut = [name, givenName, familyName].some((text) => Array.from(text).length > maxName);
  if (!isCut || lastWarning !== '') return;
  const warning = `NAME_CUT: A sign-in had a name of more than ${maxName} characters. The account has the first ${maxName}.`;
  await setLastWarning(database, call, tenant, id, warning).catch((error: unknown) =>
    log.warn('storing a warning of a provider failed', { tenant, provider: id, error }),
  );
}

/**
 * Warns in the first sign-in after a change of the provider if its answer has no claim of a name in
 * AttributeMap. Later answers may lack what a single person does not have.
 */
export async function reportAbsentClaims(
  { database, log }: Pick<SignInDeps, 'database' | 'log'>,
  call: Origin,
  { tenant, id, lastLoginAt, updatedAt, lastWarning }: ProviderValues,
  absent: readonly string[],
): Promise<void> {
  // It hides no other warning.
  if (absent.length === 0 || lastWarning !== '') return;
  if (lastLoginAt && new Date(lastLoginAt) >= new Date(updatedAt)) return;
  const warning = `CLAIMS_ABSENT: The first sign-in after the last change had no ${absent.join(', ')}, which AttributeMap names.`;
  await setLastWarning(database, call, tenant, id, warning).catch((error: unknown) =>
    log.warn('storing a warning of a provider failed', { tenant, provider: id, error }),
  );
}

/** Says in a refusal about the address which named claims the answer does not have. */
export function withAbsentClaims(thrown: unknown, absent: readonly string[]): unknown {
  if (!(thrown instanceof SignInRefused) || absent.length === 0) return thrown;
  const { reason, detail, message } = thrown;
  if (reason !== 'EMAIL_MISSING' && reason !== 'EMAIL_UNVERIFIED') return thrown;
  const more = `The answer lacks what AttributeMap names: ${absent.join(', ')}`;
  return new SignInRefused(reason, `${detail} ${more}`, message);
}
