import { addressChange, signInCode } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import type {
  AccountTasks,
  TenantInvitationsTasks,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import type { Task } from '../sending/task.ts';
import type { Mails } from './mails.ts';
import { isTemplateName, placeholders, type TemplateName } from './placeholders.ts';

/** The mails with a token for an address, by their purpose. */
const tokenMails = new Map<string | undefined, TemplateName>([
  [addressChange, 'address_verification'],
  [signInCode, 'sign_in_code'],
]);

export const verificationTask =
  (mails: Mails): Task<typeof AccountTasks.method.sendEmailVerification> =>
  async (request, attempt) => {
    const mail = tokenMails.get(attempt.extra['purpose']) ?? 'verification';
    await mails.sendToken(mail, mail === 'sign_in_code' ? 'login' : 'verify', request, attempt);
    return { response: {} };
  };

export const resetTask =
  (mails: Mails): Task<typeof AccountTasks.method.sendPasswordReset> =>
  async (request, attempt) => {
    await mails.sendToken('reset', 'reset', request, attempt);
    return { response: {} };
  };

/**
 * The mail of a notice. The name of an operator selects another mail about a reset of factors: a
 * process of the previous version does not know that mail as a kind, and ignores the name. The time
 * selects the mail about a role that ends.
 */
function mailOf(kind: string, { operatorName, time }: Readonly<Record<string, string>>): string {
  if (kind === 'factors_reset' && operatorName !== undefined) return 'factors_reset_by';
  if (kind === 'platform_role_given' && time !== undefined) return 'platform_role_given_until';
  return kind;
}

export const noticeTask =
  (mails: Mails): Task<typeof AccountTasks.method.sendNotice> =>
  async ({ email, kind }, attempt) => {
    const mail = mailOf(kind, attempt.extra);
    const needed: readonly string[] = isTemplateName(mail) ? placeholders[mail] : ['token'];
    if (!isTemplateName(mail) || needed.includes('token')) throw invalid('Kind must be a notice');
    if (
      ['name', 'date', 'time', 'left'].some(
        (detail) => needed.includes(detail) && attempt.extra[detail] === undefined,
      )
    )
      throw invalid('Kind is not allowed in a direct call');
    await mails.sendNotice(mail, { email }, attempt);
    return { response: {} };
  };

export const invitationTask =
  (mails: Mails): Task<typeof TenantInvitationsTasks.method.sendTenantInvitation> =>
  async (request, attempt) => {
    await mails.sendToken('invitation', 'invitation', request, attempt);
    return { response: {} };
  };
