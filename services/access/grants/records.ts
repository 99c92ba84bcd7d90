import { encodeJson, type IdPrefix, type JsonObject, timeOf } from '@bailiwick/contract';
import {
  type BotGrant,
  BotGrantSchema,
  type Grant,
  GrantSchema,
  type GroupGrant,
  GroupGrantSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { create } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { GrantRow, SubjectType } from './entities.ts';

// The grants of users, groups and bots share one table. This maps rows to their three API records.

export const toGrant = (row: GrantRow): Grant =>
  create(GrantSchema, { ...common(row), platform: row.tenant === '', userId: row.subject });
export const toGroupGrant = (row: GrantRow): GroupGrant =>
  create(GroupGrantSchema, { ...common(row), group: row.subject });
export const toBotGrant = (row: GrantRow): BotGrant =>
  create(BotGrantSchema, { ...common(row), platform: row.tenant === '', bot: row.subject });

type Family = { prefix: IdPrefix; event: string; encode: (row: GrantRow) => JsonObject };

export const families: Record<SubjectType, Family> = {
  user: { prefix: 'grt', event: 'grant', encode: (row) => encodeJson(GrantSchema, toGrant(row)) },
  group: {
    prefix: 'ggr',
    event: 'group_grant',
    encode: (row) => encodeJson(GroupGrantSchema, toGroupGrant(row)),
  },
  bot: {
    prefix: 'bgr',
    event: 'bot_grant',
    encode: (row) => encodeJson(BotGrantSchema, toBotGrant(row)),
  },
};

function common(row: GrantRow) {
  return {
    id: row.id,
    tenant: row.tenant,
    role: row.role,
    resource: row.resource,
    ...(row.expiresAt ? { expiresAt: timeOf(row.expiresAt) } : {}),
    createdBy: row.createdBy,
    createdAt: timeOf(row.createdAt),
  };
}

/**
 * A grant as sent in a request: in a tenant, or on the platform if `tenant` is "". `subject` is the
 * id of the user or bot, or the path of the group.
 */
export type GrantInput = {
  tenant: string;
  subjectType: SubjectType;
  subject: string;
  role: string;
  resource: string;
  expiresAt: Timestamp | undefined;
};

// Fills in the optional parts of a request: an absent record is an empty one.

export function grantInput(input: Grant | undefined): GrantInput {
  const { tenant, userId: subject, role, resource = '', expiresAt } = input ?? create(GrantSchema);
  return { tenant, subjectType: 'user', subject, role, resource, expiresAt };
}

export function groupGrantInput(input: GroupGrant | undefined): GrantInput {
  const {
    tenant,
    group: subject,
    role,
    resource = '',
    expiresAt,
  } = input ?? create(GroupGrantSchema);
  return { tenant, subjectType: 'group', subject, role, resource, expiresAt };
}

export function botGrantInput(input: BotGrant | undefined): GrantInput {
  const { tenant, bot: subject, role, resource = '', expiresAt } = input ?? create(BotGrantSchema);
  return { tenant, subjectType: 'bot', subject, role, resource, expiresAt };
}
