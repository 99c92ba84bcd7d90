import type { Run, Statement } from '@bailiwick/store';
import { type Giver, giverLater, type LaterGiver } from '../decisions/delegation.ts';

const mappedGroups: Statement<
  { group_id: string },
  [tenant: string, userId: string, provider: string]
> = {
  name: 'access.mapped_groups',
  text: 'select group_id from group_member where tenant = $1 and user_id = $2 and mapped_by = $3',
};

/** The groups to which a provider's mappings have added a user. */
export async function findMappedGroups(
  run: Run,
  tenant: string,
  userId: string,
  provider: string,
): Promise<string[]> {
  const rows = await run(mappedGroups, [tenant, userId, provider]);
  return rows.map((row) => row.group_id);
}

const mappedPeople: Statement<
  { user_id: string },
  [tenant: string, provider: string, limit: number]
> = {
  name: 'access.mapped_people',
  text: `select subject as user_id from grant_entry where tenant = $1 and mapped_by = $2
         union select user_id from group_member where tenant = $1 and mapped_by = $2 order by 1 limit $3`,
};

/** Some of the users with roles or groups from a provider's mappings. */
export async function findMappedPeople(
  run: Run,
  tenant: string,
  provider: string,
  limit: number,
): Promise<string[]> {
  const rows = await run(mappedPeople, [tenant, provider, limit]);
  return rows.map((row) => row.user_id);
}

type Person = { tenant: string; userId: string; provider: string };

// A provider that does not state a user's groups keeps the mapped rights for this time.
const retention = `interval '30 days'`;

type PersonKey = [tenant: string, userId: string, provider: string];

const writeStatement: Statement<never, [...key: PersonKey, giver: string | null]> = {
  name: 'access.mapping_stated',
  text: `insert into mapping_statement (tenant, user_id, provider, stated_at, silent_since, giver) values ($1, $2, $3, now(), null, $4)
    on conflict (tenant, user_id, provider) do update set stated_at = now(), silent_since = null, giver = excluded.giver`,
};
// Rights from before there were statements count as stated now.
const noteSilence: Statement<{ keeps: boolean }, [...key: PersonKey, giver: string | null]> = {
  name: 'access.mapping_silent',
  text: `insert into mapping_statement as m (tenant, user_id, provider, stated_at, silent_since, giver) values ($1, $2, $3, now(), now(), $4)
    on conflict (tenant, user_id, provider) do update set silent_since = coalesce(m.silent_since, now())
    returning stated_at > now() - ${retention} as keeps`,
};
const removeStatement: Statement<never, PersonKey> = {
  name: 'access.mapping_forgotten',
  text: 'delete from mapping_statement where tenant = $1 and user_id = $2 and provider = $3',
};

export const forgetStatement = (run: Run, { tenant, userId, provider }: Person): Promise<unknown> =>
  run(removeStatement, [tenant, userId, provider]);

type RightsStatement = {
  keepsMapped: boolean;
  roles: string[];
  groups: string[];
  giver?: LaterGiver | undefined;
};

const copyGiver = ({ type, id, narrowedTo, limitedTo, voucher }: LaterGiver): LaterGiver => ({
  type,
  id,
  narrowedTo,
  ...(limitedTo !== undefined && { limitedTo }),
  ...(voucher !== undefined && { voucher }),
});

const givers: Statement<
  { giver: LaterGiver | null },
  [tenant: string, userId: string, provider: string]
> = {
  name: 'access.mapping_giver',
  text: 'select giver from mapping_statement where tenant = $1 and user_id = $2 and provider = $3',
};

/** Who answered for a provider when it stated a user's groups last; undefined = unknown. */
export async function findMappingGiver(
  run: Run,
  { tenant, userId, provider }: Person,
): Promise<Giver | undefined> {
  const [row] = await run(givers, [tenant, userId, provider]);
  return row?.giver ? giverLater(tenant, row.giver) : undefined;
}

/** Notes whether a sign-in states a user's groups. Returns whether the mapped rights stay. */
export async function noteStatement(
  run: Run,
  person: Person,
  { keepsMapped, roles, groups, giver }: RightsStatement,
): Promise<boolean> {
  const key: PersonKey = [person.tenant, person.userId, person.provider];
  const stored = giver ? JSON.stringify(copyGiver(giver)) : null;
  if (keepsMapped) {
    const [row] = await run(noteSilence, [...key, stored]);
    if (row?.keeps) return true;
  }
  if (!keepsMapped && roles.length + groups.length > 0) await run(writeStatement, [...key, stored]);
  else await run(removeStatement, key);
  return false;
}

const overdue: Statement<Person, [limit: number]> = {
  name: 'access.mappings_overdue',
  text: `select tenant, user_id as "userId", provider from mapping_statement
    where silent_since is not null and stated_at <= now() - ${retention} order by stated_at limit $1`,
  across: 'the sweeper covers all tenants',
};

/** Users whose mapped rights end, since the provider has not stated them for too long. */
export const findOverdue = (run: Run, limit: number): Promise<Person[]> => run(overdue, [limit]);

const stillOverdue: Statement<never, [tenant: string, userId: string, provider: string]> = {
  name: 'access.mapping_overdue',
  text: `select from mapping_statement where tenant = $1 and user_id = $2 and provider = $3
    and silent_since is not null and stated_at <= now() - ${retention} for update`,
};

/** Whether the rights end still: the user may have signed in since. */
export const isOverdue = async (run: Run, { tenant, userId, provider }: Person): Promise<boolean> =>
  (await run(stillOverdue, [tenant, userId, provider])).length > 0;
