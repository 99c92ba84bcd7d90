import { normaliseEmail, timeOf } from '@bailiwick/contract';
import { notFound } from '@bailiwick/errors';
import type { Handlers } from '@bailiwick/pipeline';
import type { Mail } from '@bailiwick/proto/gen/bailiwick/notifications/v1/mail_pb.ts';
import {
  AccountTasks,
  TenantInvitationsTasks,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { directHandler, type Tasks } from '../sending/task.ts';
import type { Suppressions } from './suppression.ts';

export const accountTaskHandlers = (tasks: Tasks): Handlers<typeof AccountTasks> => ({
  sendEmailVerification: directHandler(tasks, AccountTasks.method.sendEmailVerification),
  sendPasswordReset: directHandler(tasks, AccountTasks.method.sendPasswordReset),
  sendNotice: directHandler(tasks, AccountTasks.method.sendNotice),
});

export const invitationTaskHandlers = (tasks: Tasks): Handlers<typeof TenantInvitationsTasks> => ({
  sendTenantInvitation: directHandler(tasks, TenantInvitationsTasks.method.sendTenantInvitation),
});

export function suppressionHandlers(suppressions: Suppressions): Handlers<typeof Mail> {
  return {
    async getSuppression({ email }) {
      const row = await suppressions.find(normaliseEmail(email).key);
      if (!row) throw notFound('suppression');
      const { code, created_at: createdAt, expires_at: expiresAt } = row;
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
