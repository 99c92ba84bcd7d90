import {
  assertUnchanged,
  changedFields,
  createId,
  encodeJson,
  type JsonObject,
  timeAfter,
} from '@bailiwick/contract';
import { record } from '@bailiwick/outbox';
import {
  type Group,
  GroupSchema,
  type GroupsSaveRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import { lockName, type Transaction } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { LockMode } from '@mikro-orm/core';
import { rowOf } from '../rows.ts';
import { GroupEntity, type GroupRow, toGroup } from './entities.ts';
import { assertKeepsScim } from './managed.ts';
import { ancestorKeys, pathKey } from './path.ts';

/**
 * Creates the group of this tenant and path, or changes the fields that were sent. Saving unchanged
 * values changes nothing.
 */
export async function saveGroup(tx: Transaction, request: GroupsSaveRequest): Promise<void> {
  const input = request.group ?? create(GroupSchema);
  const key = pathKey(input.path);
  // For two concurrent first saves of one path, the second finds the group of the first and updates
  // it.
  await lockName(tx, rowOf.group(input.tenant, key));
  const stored = await tx.em.findOne(
    GroupEntity,
    { key },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  assertUnchanged('the group', stored, request.ifUpdatedAt);
  if (!stored) return insertGroup(tx, input);
  const before = encode(stored);
  assertKeepsScim(stored, input);
  applyTo(stored, input);
  const previous = changedFields(before, encode(stored));
  if (Object.keys(previous).length === 0) return;
  stored.updatedAt = timeAfter(stored.updatedAt);
  recordGroup(tx, 'group.updated', stored, previous);
}

function insertGroup(tx: Transaction, input: Group): void {
  const now = new Date();
  const key = pathKey(input.path);
  const group = tx.em.create(GroupEntity, {
    tenant: input.tenant,
    id: createId('grp'),
    path: input.path,
    key,
    ancestorKeys: ancestorKeys(key),
    name: '',
    description: '',
    externalId: '',
    source: 'api',
    metadata: {},
    createdAt: now,
    updatedAt: now,
  });
  applyTo(group, input);
  tx.em.persist(group);
  recordGroup(tx, 'group.created', group);
}

// Fields that were not sent keep their values.
function applyTo(group: GroupRow, input: Group): void {
  group.name = input.name ?? group.name;
  group.description = input.description ?? group.description;
  group.externalId = input.externalId ?? group.externalId;
  if (input.metadata) group.metadata = { ...input.metadata.items };
}

const encode = (row: GroupRow) => encodeJson(GroupSchema, toGroup(row));

export function recordGroup(
  tx: Transaction,
  type: string,
  group: GroupRow,
  previous: JsonObject = {},
): void {
  record(tx, {
    tenant: group.tenant,
    type,
    data: encode(group),
    previous,
    targets: [targetOf(group)],
  });
}

export const targetOf = (group: GroupRow) => ({ Type: 'group', ID: group.id, Name: group.path });
