import { Buffer } from 'node:buffer';
import { createId, createToken } from '@bailiwick/contract';
import { createBot } from '../support/bots.ts';
import type { Answer, Stack } from '../support/harness.ts';
import { createTenant, mailTo, newAddress, password, signUp, tokenIn } from '../support/people.ts';

// One call of every operation whose shape the interface shows, ordered so that each call finds the
// records it needs. Requests have documented keys only: they are what a client sends that was
// written for the interface alone.

export type Sample = {
  operation: string;
  /** The credential. Absent: no credential. */
  token?: string;
  request: Record<string, unknown> | (() => Promise<Record<string, unknown>>);
  /** Keeps values of the answer for later samples. */
  remember?: (body: Answer['body']) => void;
};

/** Returns the samples for a stack. They use their own users and their own tenant. */
export async function samplesFor(stack: Stack): Promise<Sample[]> {
  const [person, guest] = [await signUp(stack), await signUp(stack)];
  const { token, id: UserID, email } = person;
  const Tenant = await createTenant(stack, token);
  const { ID: Bot } = await createBot(stack, Tenant, token);
  const ids = {
    webhook: createId('whk'),
    chat: createId('slk'),
    invitation: createToken('invitation'),
  };
  const Page = { Limit: 10 };
  const group = { Tenant, Group: 'eng' };
  const worker = stack.workerToken;
  const keep =
    (name: keyof typeof ids, read: (body: Answer['body']) => unknown) => (body: Answer['body']) => {
      ids[name] = String(read(body));
    };
  const later = (request: () => Record<string, unknown>) => () => Promise.resolve(request());

  return [
    ...accountSamples(stack),
    { operation: 'Users_GetByEmail', token, request: { Email: email } },
    { operation: 'Users_List', token: stack.platformKey, request: { Page } },
    { operation: 'Users_ListByTenant', token, request: { Tenant, Page } },
    { operation: 'Sso_Check', request: { Email: email } },

    { operation: 'Groups_Save', token, request: { Group: { Tenant, Path: 'eng' } } },
    { operation: 'Groups_Get', token, request: { Tenant, Path: 'eng' } },
    { operation: 'Groups_List', token, request: { Tenant, Page } },
    { operation: 'Groups_ListByTenant', token, request: { Tenant, Page } },
    { operation: 'Groups_AddMember', token, request: { ...group, UserID } },
    { operation: 'Groups_ListMembers', token, request: { ...group, Page } },
    { operation: 'Groups_ListMemberGroups', token, request: { UserID, Page } },

    {
      operation: 'Roles_Save',
      token,
      request: { Role: { Tenant, Slug: 'custom', Name: 'Custom', Permissions: ['app.read'] } },
    },
    { operation: 'Roles_Get', token, request: { Tenant, Slug: 'custom' } },
    { operation: 'Roles_List', token, request: { Tenant, Page } },
    { operation: 'Roles_ListByTenant', token, request: { Tenant, Page } },
    { operation: 'Roles_Delete', token, request: { Tenant, Slug: 'custom' } },

    { operation: 'Grants_Add', token, request: { Grant: { Tenant, UserID, Role: 'auditor' } } },
    { operation: 'Grants_List', token, request: { UserID, Page } },
    { operation: 'Grants_ListByTenant', token, request: { Tenant, Page } },
    { operation: 'Grants_Remove', token, request: { Grant: { Tenant, UserID, Role: 'member' } } },
    { operation: 'GroupGrants_Add', token, request: { Grant: { ...group, Role: 'member' } } },
    { operation: 'GroupGrants_ListByTenant', token, request: { Tenant, Page } },
    { operation: 'GroupGrants_Remove', token, request: { Grant: { ...group, Role: 'member' } } },
    { operation: 'BotGrants_Add', token, request: { Grant: { Tenant, Bot, Role: 'member' } } },
    { operation: 'BotGrants_ListByTenant', token, request: { Tenant, Page } },
    { operation: 'BotGrants_Remove', token, request: { Grant: { Tenant, Bot, Role: 'member' } } },
    { operation: 'Groups_RemoveMember', token, request: { ...group, UserID } },
    { operation: 'Groups_Delete', token, request: { Tenant, Path: 'eng' } },

    {
      operation: 'TenantInvitations_Create',
      token,
      request: { Tenant, Email: guest.email },
      remember: keep('invitation', (body) => body['Token']),
    },
    { operation: 'TenantInvitations_List', token, request: { Tenant, Page } },
    {
      operation: 'TenantInvitations_ListByEmail',
      token: guest.token,
      request: { Email: guest.email, Page },
    },
    {
      operation: 'TenantInvitations_Accept',
      token: guest.token,
      request: later(() => ({ Token: ids.invitation })),
    },
    {
      operation: 'TenantInvitations_Decline',
      request: async () => {
        const { body } = await stack.call(
          'TenantInvitations_Create',
          { Tenant, Email: newAddress('declines') },
          token,
        );
        return { Token: body['Token'] ?? ids.invitation };
      },
    },
    {
      operation: 'TenantInvitations_Delete',
      token,
      request: { Tenant, Email: newAddress('unknown') },
    },
    {
      operation: 'TenantInvitations_Task_SendTenantInvitation',
      token: worker,
      request: { Email: newAddress('task'), Token: createToken('invitation') },
    },

    {
      operation: 'Webhooks_CreateEndpoint',
      token,
      request: { Endpoint: { Name: 'a', URL: `${stack.inboxUrl}/hooks/live` } },
      remember: keep('webhook', (body) => (body['Endpoint'] as { ID: string }).ID),
    },
    {
      operation: 'Webhooks_UpdateEndpoint',
      token,
      request: later(() => ({
        Endpoint: {
          ID: ids.webhook,
          Name: 'b',
          URL: `${stack.inboxUrl}/hooks/live`,
          Active: true,
        },
      })),
    },
    {
      operation: 'Webhooks_GetEndpoint',
      token,
      request: later(() => ({ Tenant, ID: ids.webhook })),
    },
    { operation: 'Webhooks_ListEndpoints', token, request: { Tenant, Page } },
    {
      operation: 'Webhooks_Deliver',
      token: worker,
      request: later(() => ({ Tenant, Endpoint: ids.webhook, ...delivery })),
    },
    {
      operation: 'Webhooks_DeleteEndpoint',
      token,
      request: later(() => ({ Tenant, ID: ids.webhook })),
    },

    {
      operation: 'Chat_CreateEndpoint',
      token,
      request: { Endpoint: { Name: 'a' }, URL: `${stack.inboxUrl}/hooks/chat` },
      remember: keep('chat', (body) => (body['Endpoint'] as { ID: string }).ID),
    },
    {
      operation: 'Chat_UpdateEndpoint',
      token,
      request: later(() => ({ Endpoint: { ID: ids.chat, Name: 'b', Active: true }, URL: '' })),
    },
    { operation: 'Chat_GetEndpoint', token, request: later(() => ({ Tenant, ID: ids.chat })) },
    { operation: 'Chat_ListEndpoints', token, request: { Tenant, Page } },
    {
      operation: 'Chat_Deliver',
      token: worker,
      request: later(() => ({ Tenant, Endpoint: ids.chat, ...delivery })),
    },
    { operation: 'Chat_DeleteEndpoint', token, request: later(() => ({ Tenant, ID: ids.chat })) },
  ];
}

const delivery = { Type: 'app.tested', Body: Buffer.from('{"text":"hello"}').toString('base64') };

function accountSamples(stack: Stack): Sample[] {
  const Email = newAddress('live');
  const mailed = (count: number) => async () => ({
    Token: tokenIn(await mailTo(stack, Email, count)),
  });
  const worker = stack.workerToken;
  return [
    { operation: 'Account_Register', request: { Email, Password: password } },
    {
      operation: 'Account_ResendVerification',
      request: async () => {
        await mailTo(stack, Email);
        return { Email };
      },
    },
    { operation: 'Account_Verify', request: mailed(2) },
    { operation: 'Account_RequestPasswordReset', request: { Email } },
    {
      operation: 'Account_ResetPassword',
      request: async () => ({ ...(await mailed(3)()), Password: `${password} 2` }),
    },
    {
      operation: 'Account_Task_SendEmailVerification',
      token: worker,
      request: { Email: newAddress('task'), Token: createToken('verify') },
    },
    {
      operation: 'Account_Task_SendPasswordReset',
      token: worker,
      request: { Email: newAddress('task'), Token: createToken('reset') },
    },
  ];
}
