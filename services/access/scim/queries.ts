import { type Run, type Statement, textKey } from '@bailiwick/store';
import type { LaterGiver } from '../decisions/delegation.ts';
import { scimSource } from '../groups/entities.ts';
import type { ScimUser } from '../provisioned/entities.ts';

/** A person of the directory, with what the membership and the invitation have become. */
export type PersonRow = {
  tenant: string;
  id: string;
  externalId: string;
  emailKey: string;
  resource: Record<string, unknown>;
  userId: string;
  invitationId: string;
  createdAt: Date | string;
  updatedAt: Date | string;
  memberStatus: string | null;
  /** The cause of a disabled membership: see TenantMemberEntity. */
  disabledBy: string | null;
  invitationStatus: string | null;
};

const people = `select s.tenant, s.id, s.external_id as "externalId", s.email_key as "emailKey", s.resource, s.user_id as "userId",
    s.invitation_id as "invitationId", s.created_at as "createdAt", s.updated_at as "updatedAt", m.status as "memberStatus",
    m.disabled_by as "disabledBy",
    case when i.status = 'pending' and i.expires_at <= now() then 'expired' else i.status end as "invitationStatus"
  from scim_user s
  left join tenant_member m on m.tenant = s.tenant and m.user_id = s.user_id
  left join invitation i on i.tenant = s.tenant and i.id = s.invitation_id
  where s.tenant = $1`;

const person: Statement<PersonRow, [tenant: string, id: string]> = {
  name: 'access.scim_person',
  text: `${people} and s.id = $2`,
};

export async function findPerson(
  run: Run,
  tenant: string,
  id: string,
): Promise<PersonRow | undefined> {
  return (await run(person, [tenant, id]))[0];
}

type PeopleByValue = Statement<PersonRow, [tenant: string, key: string]>;

const peopleByName: PeopleByValue = {
  name: 'access.scim_people_by_name',
  text: `${people} and s.user_name_key = $2`,
};
const peopleByExternalId: PeopleByValue = {
  name: 'access.scim_people_by_external_id',
  text: `${people} and s.external_id = $2 order by s.id limit 1000`,
};

/** The people with a value of an attribute that has an index. */
export const findPeopleBy = (
  run: Run,
  tenant: string,
  attribute: 'userName' | 'externalId',
  key: string,
): Promise<PersonRow[]> => {
  const statements = { userName: peopleByName, externalId: peopleByExternalId };
  return run(statements[attribute], [tenant, key]);
};

const insertPerson: Statement<
  never,
  [
    tenant: string,
    id: string,
    userNameKey: string,
    externalId: string,
    emailKey: string,
    resource: string,
    userId: string,
    invitationId: string,
    createdAt: Date,
    updatedAt: Date,
  ]
> = {
  name: 'access.scim_add_person',
  text: `insert into scim_user
      (tenant, id, user_name_key, external_id, email_key, resource, user_id, invitation_id, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6::jsonb, $7, $8, $9, $10)`,
};

export async function addPerson(run: Run, person: ScimUser): Promise<void> {
  await run(insertPerson, [
    person.tenant,
    person.id,
    person.userNameKey,
    person.externalId,
    person.emailKey,
    JSON.stringify(person.resource),
    person.userId,
    person.invitationId,
    person.createdAt,
    person.updatedAt,
  ]);
}

const place: Statement<
  Place,
  [tenant: string, userNameKey: string, emailKey: string, userId: string, own: string]
> = {
  name: 'access.scim_place',
  text: `select
      exists (select from scim_user s where s.tenant = $1 and s.user_name_key = $2 and s.id <> $5) as "isNameTaken",
      exists (select from scim_user s where s.tenant = $1 and s.email_key = $3 and s.id <> $5) as "isAddressTaken",
      exists (select from scim_user s where s.tenant = $1 and $4 <> '' and s.user_id = $4 and s.id <> $5) as "isAccountTaken",
      exists (select from tenant_member m where m.tenant = $1 and m.user_id = $4) as "isMember",
      exists (select from subject_state t where t.subject = $4 and t.state = 'deleted') as "isDeleted"`,
};

/**
 * What keeps a person from having a userName, an address and an account: another person has one of
 * them, or the account is deleted. Two people with one account would end each other's membership.
 */
export type Place = {
  isNameTaken: boolean;
  isAddressTaken: boolean;
  isAccountTaken: boolean;
  isMember: boolean;
  isDeleted: boolean;
};

type PlaceKeys = { userNameKey: string; emailKey: string; userId: string; own: string };

/** The place of a person. `userId`: the account, "" = none; `own`: the ID of a person who exists. */
export async function findPlace(
  run: Run,
  tenant: string,
  { userNameKey, emailKey, userId, own }: PlaceKeys,
): Promise<Place | undefined> {
  return (await run(place, [tenant, userNameKey, emailKey, userId, own]))[0];
}

const peopleAfter: Statement<PersonRow, [tenant: string, after: string, limit: number]> = {
  name: 'access.scim_people_after',
  text: `${people} and s.id > $2 order by s.id limit $3`,
};

/** The next people in the order of their IDs. */
export const peopleFrom = (
  run: Run,
  tenant: string,
  after: string,
  limit: number,
): Promise<PersonRow[]> => run(peopleAfter, [tenant, after, limit]);

// A page is found in an index that holds the IDs, and only its rows are read: measured at 10,000
// people and 10,000 groups, the last page takes a millisecond longer than the first.

const peopleAt: Statement<PersonRow, [tenant: string, offset: number, limit: number]> = {
  name: 'access.scim_people_at',
  text: `${people} and s.id = any (array(
    select id from scim_user where tenant = $1 order by id offset $2 limit $3)) order by s.id`,
};

/** A page of the people, from a place in the order of their IDs. */
export const peoplePage = (
  run: Run,
  tenant: string,
  offset: number,
  limit: number,
): Promise<PersonRow[]> => run(peopleAt, [tenant, offset, limit]);

const peopleByIds: Statement<PersonRow, [tenant: string, ids: readonly string[]]> = {
  name: 'access.scim_people_by_ids',
  text: `${people} and s.id = any ($2)`,
};

/** People by their IDs, in any order. */
export const peopleOf = (run: Run, tenant: string, ids: readonly string[]): Promise<PersonRow[]> =>
  run(peopleByIds, [tenant, ids]);

const peopleCount: Statement<{ count: number }, [tenant: string]> = {
  name: 'access.scim_people_count',
  text: 'select count(*)::int as count from scim_user where tenant = $1',
};

export async function countPeople(run: Run, tenant: string): Promise<number> {
  return (await run(peopleCount, [tenant]))[0]?.count ?? 0;
}

const groupsOfPeople: Statement<GroupOfPerson, [tenant: string, people: readonly string[]]> = {
  name: 'access.scim_groups_of_people',
  text: `select m.scim_user_id as "personId", e.id, e.name from scim_member m
    join group_entry e on e.tenant = m.tenant and e.id = m.group_id
    where m.tenant = $1 and m.scim_user_id = any ($2) order by e.id limit 20000`,
};

export type GroupOfPerson = { personId: string; id: string; name: string };

export const findGroupsOf = (
  run: Run,
  tenant: string,
  people: readonly string[],
): Promise<GroupOfPerson[]> => run(groupsOfPeople, [tenant, people]);

export type ScimGroupRow = {
  tenant: string;
  id: string;
  name: string;
  externalId: string;
  createdAt: Date | string;
  updatedAt: Date | string;
};

const groups = `select e.tenant, e.id, e.name, e.external_id as "externalId", e.created_at as "createdAt", e.updated_at as "updatedAt"
  from group_entry e where e.tenant = $1 and e.source = '${scimSource}'`;

const group: Statement<ScimGroupRow, [tenant: string, id: string]> = {
  name: 'access.scim_group',
  text: `${groups} and e.id = $2`,
};

export async function findScimGroup(
  run: Run,
  tenant: string,
  id: string,
): Promise<ScimGroupRow | undefined> {
  return (await run(group, [tenant, id]))[0];
}

const groupsByName: Statement<ScimGroupRow, [tenant: string, name: string]> = {
  name: 'access.scim_groups_by_name',
  text: `${groups} and ${textKey('e.name')} = ${textKey('$2::text')} order by e.id limit 1000`,
};

/** The groups whose names begin alike: a longer name is compared by the caller. */
export const findGroupsByName = (run: Run, tenant: string, name: string): Promise<ScimGroupRow[]> =>
  run(groupsByName, [tenant, name]);

const groupsAfter: Statement<ScimGroupRow, [tenant: string, after: string, limit: number]> = {
  name: 'access.scim_groups_after',
  text: `${groups} and e.id > $2 order by e.id limit $3`,
};

export const groupsFrom = (
  run: Run,
  tenant: string,
  after: string,
  limit: number,
): Promise<ScimGroupRow[]> => run(groupsAfter, [tenant, after, limit]);

const groupsAt: Statement<ScimGroupRow, [tenant: string, offset: number, limit: number]> = {
  name: 'access.scim_groups_at',
  text: `${groups} and e.id = any (array(
    select id from group_entry where tenant = $1 and source = '${scimSource}' order by id offset $2 limit $3)) order by e.id`,
};

export const groupsPage = (
  run: Run,
  tenant: string,
  offset: number,
  limit: number,
): Promise<ScimGroupRow[]> => run(groupsAt, [tenant, offset, limit]);

const groupsByIds: Statement<ScimGroupRow, [tenant: string, ids: readonly string[]]> = {
  name: 'access.scim_groups_by_ids',
  text: `${groups} and e.id = any ($2)`,
};

/** Groups by their IDs, in any order. */
export const groupsOf = (
  run: Run,
  tenant: string,
  ids: readonly string[],
): Promise<ScimGroupRow[]> => run(groupsByIds, [tenant, ids]);

const groupsCount: Statement<{ count: number }, [tenant: string]> = {
  name: 'access.scim_groups_count',
  text: `select count(*)::int as count from group_entry where tenant = $1 and source = '${scimSource}'`,
};

export async function countScimGroups(run: Run, tenant: string): Promise<number> {
  return (await run(groupsCount, [tenant]))[0]?.count ?? 0;
}

const membersOfGroups: Statement<
  MemberOfGroup,
  [tenant: string, groups: readonly string[], limit: number]
> = {
  name: 'access.scim_members',
  text: `select m.group_id as "groupId", s.id, coalesce(s.resource->>'displayName', s.resource->>'userName') as display
    from scim_member m join scim_user s on s.tenant = m.tenant and s.id = m.scim_user_id
    where m.tenant = $1 and m.group_id = any ($2) order by m.group_id, s.id limit $3`,
};

export type MemberOfGroup = { groupId: string; id: string; display: string };

/** The members of groups of the directory, at most `limit`. */
export const findMembersOf = (
  run: Run,
  tenant: string,
  groups: readonly string[],
  limit: number,
): Promise<MemberOfGroup[]> => run(membersOfGroups, [tenant, groups, limit]);

const accounts: Statement<
  { id: string; userId: string },
  [tenant: string, people: readonly string[]]
> = {
  name: 'access.scim_accounts',
  text: `select s.id, case when m.user_id is null then '' else s.user_id end as "userId"
    from scim_user s left join tenant_member m on m.tenant = s.tenant and m.user_id = s.user_id and m.status <> 'barred'
    where s.tenant = $1 and s.id = any ($2)`,
};

/** People of the directory with their accounts; "" = the person is not a member. */
export const findAccounts = (
  run: Run,
  tenant: string,
  people: readonly string[],
): Promise<Array<{ id: string; userId: string }>> => run(accounts, [tenant, people]);

const addToScimGroup: Statement<
  never,
  [tenant: string, groupId: string, people: readonly string[], createdAt: Date, maker: string]
> = {
  name: 'access.scim_add_members',
  text: `insert into scim_member (tenant, group_id, scim_user_id, created_at, maker)
    select $1, $2, id, $4, $5::jsonb from unnest($3::text[]) as id order by id`,
};

/** Adds people to a group of the directory. `maker`: who adds them. */
export async function addPeopleTo(
  run: Run,
  { tenant, id }: Pick<ScimGroupRow, 'tenant' | 'id'>,
  people: readonly string[],
  maker: LaterGiver,
): Promise<void> {
  await run(addToScimGroup, [tenant, id, people, new Date(), JSON.stringify(maker)]);
}

const lockMembers: Statement<{ userId: string }, [tenant: string, userIds: readonly string[]]> = {
  name: 'access.scim_lock_members',
  text: `select user_id as "userId" from tenant_member
    where tenant = $1 and user_id = any ($2) and status <> 'barred' order by user_id for update`,
};

/** The members among users, locked until the transaction ends. */
export async function lockMembersOf(
  run: Run,
  tenant: string,
  userIds: readonly string[],
): Promise<string[]> {
  return (await run(lockMembers, [tenant, userIds])).map(({ userId }) => userId);
}
