import { type EntityManager } from '@bailiwick/database';
import { homeNetwork } from '@bailiwick/limits';
import type { SessionSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/session_pb.ts';
import type { UserSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { type Call } from '@bailiwick/rpc';
import { createId, createToken, tokenHash } from '@bailiwick/values';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { recordSuccess } from '../passwords/queries.ts';
import { type UserRow, userRecord } from '../users/entities.ts';
import { recordUser } from '../users/records.ts';
import { SessionEntity, type SessionOrigin, sessionRecord } from './entities.ts';
import { findLimit } from './queries.ts';

const absoluteMs = 30 * 24 * 60 * 60 * 1000;

/** A new session with its token. */
export type NewSession = {
  token: string;
  session: MessageInitShape<typeof SessionSchema>;
  user: MessageInitShape<typeof UserSchema>;
};

/**
 * Starts a session of a user who is active and locked. The token is in the result only. A session
 * that takes another one on is no fresher than it and lasts no longer.
 */
export async function beginSession(
  em: EntityManager,
  call: Call,
  user: UserRow,
  { takenOn, ...from }: SessionOrigin,
): Promise<NewSession> {
  const token = createToken('session');
  const now = new Date();
  const session = em.create(SessionEntity, {
    ...from,
    id: createId('ses'),
    userId: user.id,
    tokenHash: tokenHash(token),
    createdAt: takenOn?.signedInAt ?? now,
    lastSeenAt: now,
    expiresAt: takenOn?.endsAt ?? new Date(now.getTime() + absoluteMs),
    ...(takenOn && { idleMinutes: takenOn.idleMinutes }),
    takenFrom: takenOn?.id ?? '',
  });
  em.persist(session);
  const limitedTo = await findLimit(em, user.id, from);
  // A limited session proves less than the password: its provider must not reset the count of
  // failed passwords. A session that is taken on proves no password again.
  if (!takenOn && from.ip !== '' && limitedTo === '')
    await recordSuccess(em, user.emailKey, homeNetwork(from.ip));
  user.lastLoginAt = now;
  const caller = { ...call.caller, type: 'user', id: user.id, credentialId: session.id };
  recordUser(em, { ...call, caller }, 'user.signed_in', user);
  return {
    token,
    session: sessionRecord({ ...session, limitedTo }, session.id),
    user: userRecord(user),
  };
}
