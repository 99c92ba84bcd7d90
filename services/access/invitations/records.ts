import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { type Origin, recordChange, serviceOrigin, type Task } from '@bailiwick/outbox';
import { TenantInvitationSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import type { EntityManager } from '@bailiwick/store';
import { type InvitationRow, toInvitation } from './entities.ts';

/** The origin of expiry events, which no call causes. */
export const expiryOrigin = serviceOrigin('access');

export const encodeInvitation = (row: InvitationRow): JsonObject =>
  encodeJson(TenantInvitationSchema, toInvitation(row));

type More = { previous?: JsonObject; tasks?: readonly Task[] };

/** Writes the event of a changed invitation, without its token. */
export function recordInvitation(
  em: EntityManager,
  origin: Origin,
  type: string,
  row: InvitationRow,
  more: More = {},
): void {
  const targets = [{ Type: 'invitation', ID: row.id, Name: row.email }];
  recordChange(em, origin, {
    tenant: row.tenant,
    type,
    data: encodeInvitation(row),
    targets,
    ...more,
  });
}
