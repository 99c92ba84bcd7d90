import { AppLogouts } from '@bailiwick/proto/gen/bailiwick/notifications/v1/app_logouts_pb.ts';
import { Chat } from '@bailiwick/proto/gen/bailiwick/notifications/v1/chat_pb.ts';
import {
  AccountTasks,
  TenantInvitationsTasks,
} from '@bailiwick/proto/gen/bailiwick/notifications/v1/tasks_pb.ts';
import { Webhooks } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { type DeliverDeps as ChatDeps, deliverTask as deliverChat } from './chat/deliver.ts';
import type { Mails } from './email/mails.ts';
import { invitationTask, noticeTask, resetTask, verificationTask } from './email/tasks.ts';
import { deliverTask as deliverLogout, type LogoutDeps } from './logouts/deliver.ts';
import { type Tasks, taskEntry } from './sending/task.ts';
import {
  deliverTask as deliverWebhook,
  type DeliverDeps as WebhookDeps,
} from './webhooks/deliver.ts';

/** The work that comes through the queue. */
export const createTasks = (deps: WebhookDeps & ChatDeps & LogoutDeps & { mails: Mails }): Tasks =>
  new Map([
    taskEntry(Webhooks.method.deliver, deliverWebhook(deps)),
    taskEntry(Chat.method.deliver, deliverChat(deps)),
    taskEntry(AppLogouts.method.deliver, deliverLogout(deps)),
    taskEntry(AccountTasks.method.sendEmailVerification, verificationTask(deps.mails)),
    taskEntry(AccountTasks.method.sendPasswordReset, resetTask(deps.mails)),
    taskEntry(AccountTasks.method.sendNotice, noticeTask(deps.mails)),
    taskEntry(TenantInvitationsTasks.method.sendTenantInvitation, invitationTask(deps.mails)),
  ]);
