import { timeAfter } from '@bailiwick/contract';
import {
  factorRequired,
  failedPrecondition,
  notFound,
  recentLoginRequired,
  unauthenticated,
} from '@bailiwick/errors';
import { noticeTask, type Target } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import type { Database, Run, Transaction } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { rowOf } from '../rows.ts';
import { voidChallenges } from '../sessions/queries.ts';
import { findSignInState, isRecent, type SignInState } from '../sessions/sign-in/queries.ts';
import type { UserRow } from '../users/entities.ts';
import { lockActive } from '../users/lock.ts';
import { recordUser } from '../users/records.ts';
import { findFactors } from './queries.ts';

// The common parts of all changes of a user's factors.

/** @throws permission_denied if the caller's sign-in is more than 15 minutes ago */
export async function assertRecent(database: Database, { caller }: Call): Promise<void> {
  if (!(await isRecent(database, caller.credentialId))) throw recentLoginRequired();
}

/**
 * Changes factors of the caller, who is locked meanwhile. @throws permission_denied if the caller's
 * sign-in is too old, or the caller has a factor and did not use one: the password alone, or an
 * identity provider alone, changes no factor
 */
export function changeOwn<T>(
  database: Database,
  call: Call,
  change: (tx: Transaction, user: UserRow, session: SignInState) => Promise<T>,
): Promise<T> {
  const { caller } = call;
  return database.transaction({ call, tenant: null, row: rowOf.user(caller.id) }, async (tx) => {
    const user = await lockActive(tx, caller.id);
    if (!user) throw notFound('user');
    // Checked again: the session may have ended while this change waited for its turn.
    return change(tx, user, await assertProven(tx.query, caller));
  });
}

/** A user, and the session of their call. */
type SessionOfUser = Pick<Call['caller'], 'id' | 'credentialId'>;

/**
 * @throws permission_denied if the sign-in of this session was more than 15 minutes ago, or the user
 * has a factor and did not use one in it
 */
export async function assertProven(run: Run, caller: SessionOfUser): Promise<SignInState> {
  const session = await assertFactorUsed(run, caller);
  if (!session.recent) throw recentLoginRequired();
  return session;
}

/** @throws permission_denied if the user has a factor and did not use one in this session */
export async function assertFactorUsed(
  run: Run,
  { id, credentialId }: SessionOfUser,
): Promise<SignInState> {
  const session = await findSignInState(run, credentialId);
  if (!session) throw unauthenticated();
  if (!session.proven && (await findFactors(run, id)).length > 0) throw factorRequired();
  return session;
}

/** The names of the caller's tenants that require a factor, by requirement. */
export type Demands = ReadonlyMap<string, string>;

export async function findDemands(
  { authority }: { authority: Pick<PeerClient<typeof Authority>, 'listUserTenants'> },
  call: Call,
): Promise<Demands> {
  const { tenants } = await authority.listUserTenants({ userId: call.caller.id }, call, {
    signal: call.signal,
  });
  return new Map(tenants.map(({ requireFactor, name }) => [requireFactor, name]));
}

/** Throws, and so rolls a removal back, if a tenant requires the last factor of its kind. */
export function assertNoDemand(demands: Demands, requirement: 'any' | 'phishing_resistant'): void {
  const tenant =
    demands.get('phishing_resistant') ?? (requirement === 'any' ? demands.get('any') : undefined);
  if (tenant !== undefined)
    throw failedPrecondition(
      `${tenant} requires a second factor: add another one first`,
      'LAST_FACTOR_REQUIRED',
      { Tenant: tenant },
    );
}

type FactorChange = {
  /** The event. Its mail has the same name without the family. */
  type:
    | 'user.factor_added'
    | 'user.factor_removed'
    | 'user.factors_reset'
    | 'user.recovery_codes_generated'
    | 'user.recovery_code_used'
    | 'user.passkey_added'
    | 'user.passkey_removed';
  target?: Target;
  /** Values for the mail. */
  values?: Record<string, string>;
  /** Why the caller made the change, for the audit. */
  reason?: string;
};

/**
 * Records a change of a user's factors and mails the user. It changes the user's row and voids the
 * user's challenges: a sign-in that is between its checks notices it.
 */
export async function recordFactors(
  tx: Transaction,
  user: UserRow,
  { type, target, values = {}, reason = '' }: FactorChange,
): Promise<void> {
  user.updatedAt = timeAfter(user.updatedAt);
  await voidChallenges(tx, user.id);
  const notice = type.slice('user.'.length);
  recordUser(tx, type, user, {
    tasks: [noticeTask(notice, user.email, { locale: user.locale, ...values })],
    reason,
    ...(target && { targets: [target] }),
  });
}

/** A factor in an audit entry. */
export const factorTarget = (id: string, name: string): Target => ({
  Type: 'factor',
  ID: id,
  Name: name,
});
