import { invalid, notFound } from '@bailiwick/errors';
import type { Mail } from '@bailiwick/proto/gen/bailiwick/notifications/v1/mail_pb.ts';
import type {
  AccountTasks,
  TenantInvitationsTasks,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { addressChange, signInCode } from '@bailiwick/proto/tasks.ts';
import { type Handlers } from '@bailiwick/rpc';
import { normaliseEmail, timeOf } from '@bailiwick/values';
import { taskOf } from '../sending/task-context.ts';
import type { Mails } from './mails.ts';
import { isTemplateName, placeholders, type TemplateName } from './placeholders.ts';
import type { Suppressions } from './suppression.ts';

/** The mails with a token for an address, by their purpose. */
const tokenMails = new Map<string | undefined, TemplateName>([
  [addressChange, 'address_verification'],
  [signInCode, 'sign_in_code'],
]);

export function accountTaskHandlers(mails: Mails): Handlers<typeof AccountTasks> {
  return {
    async sendEmailVerification(request, { caller }) {
      const mail = tokenMails.get(taskOf(caller).extra['purpose']) ?? 'verification';
      await mails.sendToken(mail, mail === 'sign_in_code' ? 'login' : 'verify', request, caller);
      return {};
    },
    async sendPasswordReset(request, { caller }) {
      await mails.sendToken('reset', 'reset', request, caller);
      return {};
    },
    async sendNotice({ email, kind }, { caller }) {
      const needed: readonly string[] = isTemplateName(kind) ? placeholders[kind] : ['token'];
      if (!isTemplateName(kind) || needed.includes('token')) throw invalid('Kind must be a notice');
      const { extra } = taskOf(caller);
      if (
        ['name', 'date', 'left'].some(
          (detail) => needed.includes(detail) && extra[detail] === undefined,
        )
      )
        throw invalid('Kind is not allowed in a direct call');
      await mails.sendNotice(kind, { email }, caller);
      return {};
    },
  };
}

export function invitationTaskHandlers(mails: Mails): Handlers<typeof TenantInvitationsTasks> {
  return {
    async sendTenantInvitation(request, { caller }) {
      await mails.sendToken('invitation', 'invitation', request, caller);
      return {};
    },
  };
}

export function suppressionHandlers(suppressions: Suppressions): Handlers<typeof Mail> {
  return {
    async getSuppression({ email }) {
      const found = await suppressions.find(normaliseEmail(email).key);
      if (!found) throw notFound('suppression');
      const { code, created_at: createdAt, expires_at: expiresAt } = found;
      return {
        suppression: {
          statusCode: code,
          createdAt: timeOf(createdAt),
          expiresAt: timeOf(expiresAt),
        },
      };
    },
    async deleteSuppression({ email }, call) {
      await suppressions.remove(normaliseEmail(email).key, call);
      return {};
    },
  };
}
