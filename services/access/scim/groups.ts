import { createHash } from 'node:crypto';
import { changedFields, createId, encodeJson, oneLine, timeAfter } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import { GroupSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { lockName, onPool, type Run, type Transaction } from '@bailiwick/store';
import { type Loaded, LockMode } from '@mikro-orm/core';
import { ownerProtected, reportEnd } from '../decisions/sources.ts';
import { GroupEntity, GroupMemberEntity, scimSource, toGroup } from '../groups/entities.ts';
import { removeGroup } from '../groups/members.ts';
import { ancestorKeys, pathKey } from '../groups/path.ts';
import { findGroupRoles } from '../groups/queries.ts';
import { recordGroup } from '../groups/save.ts';
import { ownerRole } from '../permissions/builtin.ts';
import { rowOf } from '../rows.ts';
import type { StoredSettings } from '../tenants/entities.ts';
import { lockTenant } from '../tenants/lock.ts';
import type { ScimDeps, ScimRequest } from './deps.ts';
import { setMembers } from './members.ts';
import { storeNotes } from './notices/notes.ts';
import { versionOf } from './people.ts';
import { type Intake, type IntakeNote, newIntake } from './protocol/intake.ts';
import { uniqueness } from './protocol/problems.ts';
import { isObject, maxMembers, type Resource, readResource, textOf } from './protocol/resource.ts';
import { groupSchema, groupType } from './protocol/schemas.ts';
import {
  findGroupsByName,
  findMembersOf,
  findScimGroup,
  type MemberOfGroup,
  type ScimGroupRow,
} from './queries.ts';
import { assertVersion } from './users.ts';

// The groups of a directory. Their source is scim, and their names are unique among themselves.

type ScimGroup = Loaded<(typeof GroupEntity)['~entity']>;

const groupVersion = ({ updatedAt }: Pick<ScimGroupRow, 'updatedAt'>): string =>
  versionOf(new Date(updatedAt).toISOString());

/** The resource of a group; without members if they were not read. */
export function renderGroup(
  group: ScimGroupRow,
  members: readonly MemberOfGroup[] | undefined,
  baseUrl: string,
): Resource {
  const { id, name, externalId, createdAt, updatedAt } = group;
  return {
    schemas: [groupSchema.id],
    id,
    ...(externalId !== '' && { externalId }),
    displayName: name,
    ...(members && {
      members: members.map((member) => ({
        value: member.id,
        $ref: `${baseUrl}/Users/${member.id}`,
        display: member.display,
        type: 'User',
      })),
    }),
    meta: {
      resourceType: 'Group',
      created: new Date(createdAt).toISOString(),
      lastModified: new Date(updatedAt).toISOString(),
      location: `${baseUrl}/Groups/${id}`,
      version: groupVersion(group),
    },
  };
}

/** A group that a directory wants. `notes`: the parts of the request that are not stored. */
type DesiredGroup = {
  name: string;
  externalId: string;
  members: ReadonlySet<string>;
  notes: readonly IntakeNote[];
};

/** A name of a directory is never refused, unless people would see nothing of it. */
const shownName = (name: string): string => oneLine(name).trim() || name;

function readGroup(read: (intake: Intake) => unknown): DesiredGroup {
  const intake = newIntake();
  const resource = readResource(groupType, read(intake), intake);
  const { displayName, externalId, members = [] } = resource;
  const ids = (members as readonly Resource[]).map(({ value }) => textOf(value));
  return {
    name: shownName(textOf(displayName)),
    externalId: textOf(externalId),
    members: new Set(ids),
    notes: intake.notes,
  };
}

/** Creates a group. Returns its ID. */
export async function createScimGroup(
  deps: ScimDeps,
  { tenant, call, source }: ScimRequest,
  body: unknown,
): Promise<string> {
  const { name, externalId, members, notes } = readGroup(() => body);
  return inTenant(deps, call, tenant, async (tx, { scimGroupParent = '' }) => {
    await assertNameFree(tx, tenant, name);
    const path = await freePath(tx, { tenant, parent: scimGroupParent, name });
    const now = new Date();
    const group = tx.em.create(GroupEntity, {
      tenant,
      id: createId('grp'),
      path,
      key: pathKey(path),
      ancestorKeys: ancestorKeys(pathKey(path)),
      name,
      description: '',
      externalId,
      source: scimSource,
      metadata: {},
      createdAt: now,
      updatedAt: now,
    });
    tx.em.persist(group);
    recordGroup(tx, 'group.created', group);
    await tx.em.flush();
    await setMembers(tx, { call, source }, group, { present: new Set(), desired: members });
    await storeNotes(tx.query, { tenant, resourceType: 'Group', id: group.id, notes });
    return group.id;
  });
}

type Change = { id: string; ifMatch: string; next: (present: Resource, intake: Intake) => unknown };

/** Changes a group. Writes nothing if nothing changes. */
export async function changeScimGroup(
  deps: ScimDeps,
  { tenant, call, source }: ScimRequest,
  { id, ifMatch, next }: Change,
): Promise<void> {
  const read = (run: Run) => readChange(run, tenant, { id, ifMatch, next });
  const snapshot = await read(onPool(deps.database));
  await storeNotes(onPool(deps.database, call), {
    tenant,
    resourceType: 'Group',
    id,
    notes: snapshot.notes,
  });
  if (snapshot.isSame) return;
  const refusal = await inTenant(deps, call, tenant, async (tx) => {
    const group = await lockGroup(tx, id);
    // Each change of the members is a new version: they are read again only after one.
    const isUnchanged = group.updatedAt.getTime() === new Date(snapshot.updatedAt).getTime();
    const { present, desired, isSame } = isUnchanged ? snapshot : await read(tx.query);
    if (isSame) return undefined;
    if (desired.name.toLowerCase() !== group.name.toLowerCase())
      await assertNameFree(tx, tenant, desired.name);
    const before = encodeJson(GroupSchema, toGroup(group));
    tx.em.assign(group, { name: desired.name, externalId: desired.externalId });
    const previous = changedFields(before, encodeJson(GroupSchema, toGroup(group)));
    // The path stays, since grants name it.
    group.updatedAt = timeAfter(group.updatedAt);
    if (Object.keys(previous).length > 0) recordGroup(tx, 'group.updated', group, previous);
    return setMembers(tx, { call, source }, group, { present, desired: desired.members });
  });
  if (refusal) throw refusal;
}

/** Reads a group with its members, and what the directory wants it to be. */
async function readChange(run: Run, tenant: string, { id, ifMatch, next }: Change) {
  const stored = await findScimGroup(run, tenant, id);
  if (!stored) throw notFound('Group');
  assertVersion(ifMatch, groupVersion(stored));
  const rows = await findMembersOf(run, tenant, [id], maxMembers);
  const present = new Set(rows.map((row) => row.id));
  const { name, externalId, updatedAt } = stored;
  const resource: Resource = {
    displayName: name,
    ...(externalId !== '' && { externalId }),
    ...(rows.length > 0 && { members: rows.map((row) => ({ value: row.id })) }),
  };
  const desired = readGroup((intake) => next(resource, intake));
  const isRenamed = desired.name !== name || desired.externalId !== externalId;
  const isSame = !isRenamed && areEqual(present, desired.members);
  return { updatedAt, present, desired, isSame, notes: desired.notes };
}

const areEqual = (a: ReadonlySet<string>, b: ReadonlySet<string>): boolean =>
  a.size === b.size && [...a].every((one) => b.has(one));

export async function deleteScimGroup(
  deps: ScimDeps,
  { tenant, call, source }: ScimRequest,
  id: string,
  ifMatch: string,
): Promise<void> {
  await inTenant(deps, call, tenant, async (tx) => {
    const group = await lockGroup(tx, id);
    assertVersion(ifMatch, groupVersion(group));
    const run = tx.query;
    const roles = await findGroupRoles(run, tenant, id);
    const members = await tx.em.find(GroupMemberEntity, { groupId: id });
    const userIds = members.map(({ userId }) => userId);
    if (roles.includes(ownerRole)) throw ownerProtected(group.path);
    await reportEnd(tx, source, { tenant, userIds, roles });
    await removeGroup(tx, group);
  });
}

/** The body of a PUT. Members that it does not name at all stay. */
export const replacing =
  (body: unknown) =>
  (present: Resource): unknown => {
    if (!isObject(body)) return body;
    const hasMembers = Object.keys(body).some((key) => key.toLowerCase() === 'members');
    return {
      ...body,
      ...(!hasMembers && 'members' in present && { members: present['members'] }),
    };
  };

const inTenant = <T>(
  { database }: ScimDeps,
  call: Call,
  tenant: string,
  work: (tx: Transaction, settings: StoredSettings) => Promise<T>,
): Promise<T> =>
  database.transaction({ call, tenant, row: rowOf.tenant(tenant) }, async (tx) => {
    const { settings } = await lockTenant(tx, tenant);
    return work(tx, settings);
  });

async function lockGroup(tx: Transaction, id: string): Promise<ScimGroup> {
  const which = { id, source: scimSource };
  const group = await tx.em.findOne(GroupEntity, which, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!group) throw notFound('Group');
  return group;
}

/** The tenant is locked. */
async function assertNameFree(tx: Transaction, tenant: string, name: string): Promise<void> {
  const alike = await findGroupsByName(tx.query, tenant, name);
  if (alike.some((one) => one.name.toLowerCase() === name.toLowerCase()))
    throw uniqueness('another Group has this displayName');
}

/**
 * A path for a name, below the parent that the tenant has chosen: its letters and digits, with a
 * mark of the whole name if another group of the directory has the path. A group made by hand is
 * never taken over: it may have roles.
 */
async function freePath(
  tx: Transaction,
  { tenant, parent, name }: { tenant: string; parent: string; name: string },
): Promise<string> {
  const plain = segmentOf(name);
  const mark = createHash('sha256').update(name.toLowerCase()).digest('hex').slice(0, 8);
  const marked = `${plain.slice(0, 54) || 'group'}-${mark}`;
  for (const segment of plain === '' ? [marked] : [plain, marked]) {
    const path = parent === '' ? segment : `${parent}/${segment}`;
    const key = pathKey(path);
    await lockName(tx, rowOf.group(tenant, key));
    const holder = await tx.em.findOne(GroupEntity, { key });
    if (!holder) return path;
    if (holder.source !== scimSource)
      throw uniqueness(
        `the group ${path} is not managed by the directory: delete it, or rename one of them`,
      );
  }
  throw uniqueness('another Group has this displayName');
}

/** The segment of a path that shows a name; "" if nothing of it can be shown. */
const segmentOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, 63)
    .replace(/-+$/, '');
