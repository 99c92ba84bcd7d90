// The internal operations that run as tasks of the queue: identity and access queue mails, and
// notifications runs all of them.

/** Task operations and their lanes. The lane is the second word of the subject. */
export const taskLanes = {
  Account_Task_SendEmailVerification: 'task.email.verification',
  Account_Task_SendPasswordReset: 'task.email.reset',
  Account_Task_SendNotice: 'task.email.notice',
  TenantInvitations_Task_SendTenantInvitation: 'task.email.invitation',
  Webhooks_Deliver: 'task.webhook',
  Chat_Deliver: 'task.chat',
  AppLogouts_Deliver: 'task.logout',
} as const;

/** The name of a task operation. */
export type TaskOperation = keyof typeof taskLanes;

/** The `purpose` of a verification for an address that replaces another one. */
export const addressChange = 'address_change';

/** The purpose of the sealed proof in the link of an invitation: only the mailbox has it. */
export const invitationProof = 'invitation-proof';

/** The `purpose` of a mail with a code to sign in. */
export const signInCode = 'sign_in_code';
