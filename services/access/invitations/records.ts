import { encodeJson, type JsonObject, type Origin, serviceOrigin } from '@bailiwick/contract';
import { record, type Task } from '@bailiwick/outbox';
import { TenantInvitationSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/invitations_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { type InvitationRow, toInvitation } from './entities.ts';

/** The origin of expiry events, which no call causes. */
export const expiryOrigin = serviceOrigin('access');

export const encodeInvitation = (row: InvitationRow): JsonObject =>
  encodeJson(TenantInvitationSchema, toInvitation(row));

type More = { previous?: JsonObject; tasks?: readonly Task[]; origin?: Origin };

/** Writes the event of a changed invitation, without its token. */
export function recordInvitation(
  tx: Transaction,
  type: string,
  row: InvitationRow,
  { origin, ...more }: More = {},
): void {
  const targets = [{ Type: 'invitation', ID: row.id, Name: row.email }];
  const change = { tenant: row.tenant, type, data: encodeInvitation(row), targets, ...more };
  record(tx, change, origin);
}
