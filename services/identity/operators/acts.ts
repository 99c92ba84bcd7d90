import { invalid } from '@bailiwick/errors';
import { noticeTask, type Task } from '@bailiwick/outbox';
import type { Call } from '@bailiwick/pipeline';
import type { Database } from '@bailiwick/store';
import { nameOfOperator, provenName } from '../bots/operator-name.ts';
import type { UserRow } from '../users/entities.ts';

// Acts of an operator on the account of another user: they need a recent sign-in and a reason, and
// that user gets a mail.

/** The name and the reason, for the mail to the user of the account and for the audit. */
export type Operator = { operatorName: string; reason: string };

/**
 * The user who acts on another account, or the bot that states a reason; undefined for other bots, the
 * platform key and the own account.
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
  const reason = input.trim();
  if (caller.type === 'bot' && reason !== '')
    return { operatorName: await nameOfOperator(database, caller), reason };
  if (caller.type !== 'user' || caller.id === userId) return undefined;
  if (reason === '') throw invalid('Reason is required');
  return { operatorName: await provenName(database, caller), reason };
}

/** The mails about an operator's act. That of a reset of factors is made with the reset. */
type OperatorNotice =
  | 'user_disabled'
  | 'user_enabled'
  | 'user_deleted'
  | 'user_updated'
  | 'identity_confirmed'
  | 'identity_removed'
  | 'sessions_ended';

/** The parts of a recorded change that name the operator's reason, and the mail about it. */
export function operatorNotice(
  operator: Operator | undefined,
  notice: OperatorNotice,
  { email, locale }: Pick<UserRow, 'email' | 'locale'>,
): { reason?: string; tasks?: Task[] } {
  if (!operator) return {};
  return {
    reason: operator.reason,
    tasks: [noticeTask(notice, email, { locale, ...operator })],
  };
}
