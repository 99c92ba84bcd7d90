import { create } from '@bufbuild/protobuf';
import { BotGrantSchema, GrantSchema, GroupGrantSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { encodeJson, type JsonObject } from '@bailiwick/proto/json/encode.ts';
import type { IdPrefix } from '@bailiwick/shared/ids.ts';
import { timeOf } from '../records.ts';
import type { GrantRow, SubjectType } from './entities.ts';

// The three families of grants are one table: here is what tells them apart outside.

type Family = { prefix: IdPrefix; event: string; encode: (row: GrantRow) => JsonObject };

export const families: Record<SubjectType, Family> = {
  user: { prefix: 'grt', event: 'grant', encode: (row) => encodeJson(GrantSchema, create(GrantSchema, { ...common(row), userId: row.subject })) },
  group: {
    prefix: 'ggr',
    event: 'group_grant',
    encode: (row) => encodeJson(GroupGrantSchema, create(GroupGrantSchema, { ...common(row), group: row.subject })),
  },
  bot: { prefix: 'bgr', event: 'bot_grant', encode: (row) => encodeJson(BotGrantSchema, create(BotGrantSchema, { ...common(row), bot: row.subject })) },
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
