import { createId, createToken, homeNetwork, type Origin, tokenHash } from '@bailiwick/contract';
import { changeRow, type Handover } from '@bailiwick/outbox';
import type { SessionSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/session_pb.ts';
import type { UserSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { type Database, onPool, type Run, type Transaction } from '@bailiwick/store';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type UserRow, userRecord } from '../users/entities.ts';
import { userChange } from '../users/records.ts';
import { type SessionOrigin, sessionRecord } from './entities.ts';
import { storeSession } from './queries.ts';

const absoluteMs = 30 * 24 * 60 * 60 * 1000;
const idleMinutes = 7 * 24 * 60;

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
  tx: Transaction,
  call: Origin,
  user: UserRow,
  from: SessionOrigin,
): Promise<NewSession> {
  // The statement compares the stored user with this one.
  await tx.em.flush();
  const { newSession } = await begin(tx.query, call, user, from);
  if (!newSession) throw new Error('a user changed while it was locked');
  tx.isRecorded = true;
  return newSession;
}

/**
 * Starts a session with one statement, which also locks the user. Undefined if the user is no
 * longer active, or has changed since it was read.
 */
export async function beginIfUnchanged(
  { database, handover }: { database: Database; handover: Handover },
  call: Origin,
  user: UserRow,
  from: SessionOrigin,
): Promise<NewSession | undefined> {
  const { newSession, recorded } = await begin(onPool(database, call), call, user, from);
  if (newSession) handover.add([recorded]);
  return newSession;
}

async function begin(
  run: Run,
  call: Origin,
  user: UserRow,
  { takenOn, ...from }: SessionOrigin,
): Promise<{ newSession: NewSession | undefined; recorded: ReturnType<typeof changeRow> }> {
  const token = createToken('session');
  const now = new Date();
  const session = {
    ...from,
    id: createId('ses'),
    userId: user.id,
    tokenHash: tokenHash(token),
    createdAt: takenOn?.signedInAt ?? now,
    provenAt: from.provenAt ?? null,
    lastSeenAt: now,
    expiresAt: takenOn?.endsAt ?? new Date(now.getTime() + absoluteMs),
    idleMinutes: takenOn?.idleMinutes ?? idleMinutes,
    takenFrom: takenOn?.id ?? '',
  };
  const caller = { ...call.caller, type: 'user', id: user.id, credentialId: session.id };
  const signedIn = { ...user, lastLoginAt: now };
  const recorded = changeRow({ ...call, caller }, userChange('user.signed_in', signedIn));
  // A session that is taken on proves no password again: it clears no count of failed ones.
  const network = takenOn || from.ip === '' ? '' : homeNetwork(from.ip);
  const stored = await storeSession(run, { user, session, recorded, network });
  const newSession = stored && {
    token,
    session: sessionRecord({ ...session, ...stored }, session.id),
    user: userRecord(signedIn),
  };
  return { newSession, recorded };
}
