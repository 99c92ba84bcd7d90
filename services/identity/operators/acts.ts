import { invalid } from '@bailiwick/errors';
import { noticeTask, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Database } from '@bailiwick/store';
import type { UserRow } from '../users/entities.ts';
import { changeOwn } from './changes.ts';

// Acts of an operator on the account of another user: they need a recent sign-in and a reason, and a
// mail tells that user.

/** The name and the reason, for the mail to the user of the account and for the audit. */
export type Operator = { operatorName: string; reason: string };

/**
 * The user who acts on another account; undefined for bots, the platform key and the own account.
 * @throws invalid_argument without a reason, and permission_denied if the caller's sign-in is more
 * than 15 minutes ago, or did not use the second factor that the caller has
 */
export async function operatorOf(
  database: Database,
  userId: string,
  reason: string,
  call: Call,
): Promise<Operator | undefined> {
  const { caller } = call;
  if (caller.type !== 'user' || caller.id === userId) return undefined;
  const stated = reason.trim();
  if (stated === '') throw invalid('Reason is required');
  return changeOwn(database, call, async (_tx, { name, email }) => ({
    operatorName: name || email,
    reason: stated,
  }));
}

type Notice = 'user_disabled' | 'user_enabled' | 'user_deleted' | 'factors_reset_by';

/** The parts of a recorded change that name the operator's reason, and the mail about it. */
export function operatorNotice(
  operator: Operator | undefined,
  notice: Notice,
  { email, locale }: Pick<UserRow, 'email' | 'locale'>,
): { reason?: string; tasks?: Task[] } {
  if (!operator) return {};
  return {
    reason: operator.reason,
    tasks: [noticeTask(notice, email, { locale, ...operator })],
  };
}
