import { renderGroup } from './groups.ts';
import type { Rows, Source } from './listing.ts';
import { renderPeople, userNameKey } from './people.ts';
import { equalTo, type Filter } from './protocol/filter.ts';
import { tooMany } from './protocol/problems.ts';
import { type Projection, shows } from './protocol/projection.ts';
import { groupType, userType } from './protocol/schemas.ts';
import {
  countPeople,
  countScimGroups,
  findGroupsByName,
  findMembersOf,
  findPeopleBy,
  findPerson,
  findScimGroup,
  groupsFrom,
  groupsOf,
  groupsPage,
  type PersonRow,
  peopleFrom,
  peopleOf,
  peoplePage,
  type ScimGroupRow,
} from './queries.ts';

/** The most members that one list shows. */
const maxListed = 50_000;

/** The people of a tenant's directory. */
export function peopleSource({ run, tenant, baseUrl, signal }: Rows): Source<PersonRow> {
  const byId = async (id: string) => toList(await findPerson(run, tenant, id));
  return {
    type: userType,
    byId,
    candidates(filter: Filter) {
      const id = equalTo(filter, 'id');
      if (id !== undefined) return byId(id);
      const userName = equalTo(filter, 'userName');
      if (userName !== undefined)
        return findPeopleBy(run, tenant, 'userName', userNameKey(userName));
      const externalId = equalTo(filter, 'externalId');
      // Many people without an ID would not fit into one list.
      if (externalId) return findPeopleBy(run, tenant, 'externalId', externalId);
      return undefined;
    },
    after: (id, limit) => peopleFrom(run, tenant, id, limit),
    page: (offset, limit) => peoplePage(run, tenant, offset, limit),
    byIds: (ids) => peopleOf(run, tenant, ids),
    signal,
    count: () => countPeople(run, tenant),
    render: (rows) => renderPeople(run, tenant, rows, baseUrl),
  };
}

/** The groups of a tenant's directory, with members if they are shown or filtered by. */
export function groupSource(
  { run, tenant, baseUrl, signal }: Rows,
  projection: Projection,
  filterText = '',
): Source<ScimGroupRow> {
  const withMembers = shows(projection, 'members') || /members/i.test(filterText);
  const byId = async (id: string) => toList(await findScimGroup(run, tenant, id));
  return {
    type: groupType,
    byId,
    candidates(filter: Filter) {
      const id = equalTo(filter, 'id');
      if (id !== undefined) return byId(id);
      const name = equalTo(filter, 'displayName');
      return name === undefined ? undefined : findGroupsByName(run, tenant, name);
    },
    after: (id, limit) => groupsFrom(run, tenant, id, limit),
    page: (offset, limit) => groupsPage(run, tenant, offset, limit),
    byIds: (ids) => groupsOf(run, tenant, ids),
    signal,
    count: () => countScimGroups(run, tenant),
    async render(rows) {
      if (!withMembers) return rows.map((row) => renderGroup(row, undefined, baseUrl));
      const ids = rows.map(({ id }) => id);
      const members = await findMembersOf(run, tenant, ids, maxListed + 1);
      if (members.length > maxListed)
        throw tooMany('the groups have too many members: use excludedAttributes=members');
      const byGroup = Map.groupBy(members, ({ groupId }) => groupId);
      return rows.map((row) => renderGroup(row, byGroup.get(row.id) ?? [], baseUrl));
    },
  };
}

const toList = <Row>(row: Row | undefined): Row[] => (row === undefined ? [] : [row]);
