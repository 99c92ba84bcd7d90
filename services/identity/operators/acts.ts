import { invalid, unauthenticated } from '@bailiwick/errors';
import { noticeTask, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import { type Database, onPool } from '@bailiwick/store';
import { assertProven } from '../factors/changes.ts';
import type { UserRow } from '../users/entities.ts';
import { findUsers } from '../users/queries.ts';

// Acts of an operator on the account of another user: they need a recent sign-in and a reason, and
// that user gets a mail.

/** The name and the reason, for the mail to the user of the account and for the audit. */
export type Operator = { operatorName: string; reason: string };

/**
 * The user who acts on another account; undefined for bots, the platform key and the own account.
 * @throws invalid_argument without a reason, and permission_denied if the caller signed in more than
 * 15 minutes ago, or without the second factor that the caller has
 */
export async function provenOperator(
  database: Database,
  userId: string,
  input: string,
  call: Call,
): Promise<Operator | undefined> {
  const { caller } = call;
  if (caller.type !== 'user' || caller.id === userId) return undefined;
  const reason = input.trim();
  if (reason === '') throw invalid('Reason is required');
  await assertProven(onPool(database), caller);
  const [operator] = await findUsers(database, [caller.id]);
  // The operator was deleted meanwhile.
  if (!operator) throw unauthenticated();
  return { operatorName: operator.name || operator.email, reason };
}

/** The parts of a recorded change that name the operator's reason, and the mail about it. */
export function operatorNotice(
  operator: Operator | undefined,
  notice: 'user_disabled' | 'user_enabled' | 'user_deleted',
  { email, locale }: Pick<UserRow, 'email' | 'locale'>,
): { reason?: string; tasks?: Task[] } {
  if (!operator) return {};
  return {
    reason: operator.reason,
    tasks: [noticeTask(notice, email, { locale, ...operator })],
  };
}
