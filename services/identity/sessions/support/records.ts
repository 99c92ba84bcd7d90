import { encodeJson, type JsonObject } from '@bailiwick/contract';
import { type Change, record } from '@bailiwick/outbox';
import { SessionSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/session_pb.ts';
import type { Transaction } from '@bailiwick/store';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { UserEntity } from '../../users/entities.ts';
import type { EndedSession } from './queries.ts';

export type EndCause =
  /** The operator ended it. */
  | 'ended'
  /** The operator started another one. */
  | 'replaced'
  | 'expired'
  | 'permission_lost'
  /** The operator's own session ended. */
  | 'operator_signed_out'
  /** The user ended it. */
  | 'user_ended'
  /** All sessions of the user ended, or the user may not sign in any more. */
  | 'user_signed_out'
  | 'tenant_suspended';

type SupportChange = Pick<Change, 'tasks'> & {
  type: 'session.support_started' | 'session.support_ended';
  session: MessageInitShape<typeof SessionSchema>;
  email: string;
  tenants: readonly string[];
};

/**
 * Records the start or the end of support access in the platform's audit and in the audit of each
 * tenant of the user: what the operator can do concerns them all.
 */
export function recordSupport(
  tx: Transaction,
  { type, session, email, tenants, tasks = [] }: SupportChange,
): void {
  const sessionJson: JsonObject = encodeJson(SessionSchema, create(SessionSchema, session));
  const targets = [
    { Type: 'user', ID: session.userId ?? '', Name: email },
    { Type: 'session', ID: session.id ?? '', Name: '' },
  ];
  const previous = { Reason: null, ...(session.endCause && { EndCause: null }) };
  record(tx, { tenant: '', type, data: sessionJson, previous, targets, tasks });
  for (const tenant of tenants) record(tx, { tenant, type, data: sessionJson, previous, targets });
}

/** Records the end of those of the sessions that are support sessions. */
export async function recordSupportEnds(
  tx: Transaction,
  ended: readonly EndedSession[],
  causeOf: (session: EndedSession) => EndCause,
): Promise<void> {
  for (const session of ended) {
    const { id, userId, operator, reason, toldTenants, wasLive } = session;
    if (operator === '') continue;
    const user = await tx.em.findOne(UserEntity, { id: userId });
    recordSupport(tx, {
      type: 'session.support_ended',
      session: { id, userId, operator, reason, endCause: wasLive ? causeOf(session) : 'expired' },
      email: user?.email ?? '',
      tenants: toldTenants,
    });
  }
}

/** The cause if all sessions of this person end. */
export const signedOut =
  (personId: string) =>
  ({ operator }: EndedSession): EndCause =>
    operator === personId ? 'operator_signed_out' : 'user_signed_out';
