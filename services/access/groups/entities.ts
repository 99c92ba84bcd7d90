import { timeOf } from '@bailiwick/contract';
import { type Group, GroupSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import {
  lastPartKey,
  searchIndex,
  type TrigramIndex,
  textKey,
  trigramEntityIndex,
} from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { defineEntity, p } from '@mikro-orm/core';
import type { LaterGiver } from '../decisions/delegation.ts';

export const groupTrigrams: TrigramIndex = {
  name: 'group_entry_trigrams',
  table: 'group_entry',
  isOfTenants: true,
  keys: [textKey('name'), textKey('key')],
};

/** A group of a tenant's members. Its path is its place; its ancestors need not exist. */
export const GroupEntity = defineEntity({
  name: 'Group',
  tableName: 'group_entry',
  properties: {
    tenant: p.string().primary().columnType('text'),
    id: p.string().primary().columnType('text'),
    /** As first sent. */
    path: p.text(),
    /** The normalised path, unique in a tenant. */
    key: p.text(),
    /** The keys of the group and its ancestors. */
    ancestorKeys: p.array().columnType('text[]'),
    name: p.text(),
    description: p.text(),
    externalId: p.text(),
    source: p.text(),
    metadata: p.json<Record<string, string>>(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'group_entry_key', properties: ['tenant', 'key'] }],
  indexes: [
    ...[
      `group_entry_name on group_entry (tenant, (${textKey('name')}), id)`,
      `group_entry_last_word on group_entry (tenant, (${lastPartKey('name')}), id)`,
      `group_entry_path on group_entry (tenant, (${textKey('key')}), id)`,
      `group_entry_last_part on group_entry (tenant, (${lastPartKey('key', '/')}), id)`,
      `group_entry_scim on group_entry (tenant, id) where source = 'scim'`,
    ].map(searchIndex),
    { name: 'group_entry_created', properties: ['tenant', 'createdAt', 'id'] },
    trigramEntityIndex(groupTrigrams),
  ],
});

export const GroupMemberEntity = defineEntity({
  name: 'GroupMember',
  tableName: 'group_member',
  properties: {
    tenant: p.string().primary().columnType('text'),
    groupId: p.string().primary().columnType('text'),
    userId: p.string().primary().columnType('text'),
    createdAt: p.datetime(3),
    /** The provider whose mappings manage the membership; "" = added by hand. */
    mappedBy: p.text().default(''),
  },
  indexes: [{ name: 'group_member_user', properties: ['userId', 'tenant'] }],
});

/**
 * The people whom a directory has put into a group: also those who are not members of the tenant
 * yet. For members, rows of group_member follow from these.
 */
export const ScimMemberEntity = defineEntity({
  name: 'ScimMember',
  tableName: 'scim_member',
  properties: {
    tenant: p.string().primary().columnType('text'),
    groupId: p.string().primary().columnType('text'),
    scimUserId: p.string().primary().columnType('text'),
    createdAt: p.datetime(3),
    /** With whose rights the person enters the group later. null = with none, from an older version. */
    maker: p.json<LaterGiver>().nullable(),
  },
  indexes: [{ name: 'scim_member_user', properties: ['tenant', 'scimUserId'] }],
});

/** The source of a group that a directory manages by SCIM. */
export const scimSource = 'scim';

export type GroupRow = {
  tenant: string;
  id: string;
  path: string;
  name: string;
  description: string;
  externalId: string;
  source: string;
  metadata: Record<string, string>;
  createdAt: Date | string;
  updatedAt: Date | string;
};

export function toGroup(row: GroupRow): Group {
  return create(GroupSchema, {
    id: row.id,
    tenant: row.tenant,
    path: row.path,
    name: row.name,
    description: row.description,
    externalId: row.externalId,
    source: row.source,
    metadata: { items: row.metadata },
    createdAt: timeOf(row.createdAt),
    updatedAt: timeOf(row.updatedAt),
  });
}
