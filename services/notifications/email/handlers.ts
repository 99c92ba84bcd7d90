import type { AccountTasks, TenantInvitationsTasks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import { invalid } from '@bailiwick/shared/errors.ts';
import type { Mails } from './mails.ts';
import { type TemplateName } from './templates.ts';

const notices: ReadonlyMap<string, TemplateName> = new Map<string, TemplateName>([
  ['already_registered', 'already_registered'],
  ['password_changed', 'password_changed'],
  ['address_changed', 'address_changed'],
]);

export function accountTaskHandlers(mails: Mails): Handlers<typeof AccountTasks> {
  return {
    async sendEmailVerification(request, { caller }) {
      await mails.sendToken('verification', 'verify', request, caller);
      return {};
    },
    async sendPasswordReset(request, { caller }) {
      await mails.sendToken('reset', 'reset', request, caller);
      return {};
    },
    async sendNotice({ email, kind }, { caller }) {
      const template = notices.get(kind);
      if (!template) throw invalid('Kind must be a notice');
      await mails.sendNotice(template, email, caller);
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
