import { type Run, type Statement } from '@bailiwick/database';

const mappedGroups: Statement = {
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
  const rows = await run<{ group_id: string }>(mappedGroups, [tenant, userId, provider]);
  return rows.map((row) => row.group_id);
}

const mappedPeople: Statement = {
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
  const rows = await run<{ user_id: string }>(mappedPeople, [tenant, provider, limit]);
  return rows.map((row) => row.user_id);
}
