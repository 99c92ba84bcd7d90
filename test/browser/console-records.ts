import type { Receiver } from '../delivery/receiver.ts';
import { bodyOf } from '../support/answers.ts';
import { inDays } from '../support/bots.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { createTenant, newAddress } from '../support/people.ts';

// A tenant and a platform with a record of every kind, each with the same name.

type Person = { id: string; email: string; token: string };

/** The values of the parameters in the addresses of a tenant's views. */
export type Records = Record<
  'tenant' | 'member' | 'app' | 'bot' | 'endpoint' | 'provider',
  string
> & {
  /** The ID of a tenant or user, in the addresses of the platform. */
  id: string;
  message: string;
  chat: string;
  chatMessage: string;
};

type TenantRecords = Omit<Records, 'id'> & { tenantID: string };

/** Records of the user's new tenant. Its webhook and its chat message fail. */
export async function fillTenant(
  stack: Stack,
  { token, id }: Person,
  Name: string,
  receiver: Receiver,
): Promise<TenantRecords> {
  const call = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, token));
  const idOf = async (operation: string, key: string, body: object) =>
    ((await call(operation, body))[key] as { ID: string }).ID;
  await call('Account_Update', { User: { Name } });
  const Tenant = await createTenant(stack, token, Name);
  const named = { Tenant, Name };
  const described = { ...named, Description: Name };
  receiver.answer('/hook', (_request, response) => void response.writeHead(503).end(Name));
  const [endpoint, chat] = [
    await idOf('Webhooks_CreateEndpoint', 'Endpoint', {
      Endpoint: { ...described, URL: receiver.url('/hook'), EventTypes: ['group.*'] },
    }),
    await idOf('Chat_CreateEndpoint', 'Endpoint', {
      Endpoint: { ...described, EventTypes: ['group.*'] },
      URL: receiver.url('/hook'),
    }),
  ];
  await call('Groups_Save', { Group: { ...described, Path: 'engineering' } });
  await call('Groups_AddMember', { Tenant, Group: 'engineering', UserID: id });
  await call('Roles_Save', {
    Role: { ...described, Slug: 'editor', Permissions: ['app.reports.*'] },
  });
  await call('GroupGrants_Add', { Grant: { Tenant, Group: 'engineering', Role: 'editor' } });
  const bot = await idOf('Bots_Save', 'Bot', { Bot: described });
  await call('BotKeys_Create', { ...named, Bot: bot, ExpiresAt: inDays(30) });
  await call('BotGrants_Add', { Grant: { Tenant, Bot: bot, Role: 'editor' } });
  await call('TenantInvitations_Create', { Tenant, Email: newAddress('invited') });
  await call('Domain_Create', { Tenant, Name: 'example.org' });
  const provider = await idOf('Sso_SaveProvider', 'Provider', {
    Provider: providerOf(named),
    Secret: 'a secret of the provider',
  });
  const app = await idOf('Apps_Save', 'App', { App: appOf(named) });
  const failed = (area: string) =>
    eventually(`a failed message of ${area}`, async () => {
      const { Page } = await call(`${area}_ListAttempts`, { Tenant, Outcome: 'failed' });
      return (Page as { Items: Array<{ ID: string }> }).Items[0]?.ID;
    });
  const { Slug } = (await call('Tenants_Get', { Tenant }))['Tenant'] as { Slug: string };
  const [message, chatMessage] = [await failed('Webhooks'), await failed('Chat')];
  return {
    tenant: Slug,
    tenantID: Tenant,
    member: id,
    app,
    bot,
    endpoint,
    chat,
    message,
    chatMessage,
    provider,
  };
}

/** An app and a social provider of the platform. */
export async function fillPlatform(stack: Stack, Name: string) {
  const make = async (operation: string, key: string, body: object) =>
    (bodyOf(await stack.call(operation, body, stack.platformKey))[key] as { ID: string }).ID;
  return {
    app: await make('Apps_Save', 'App', { App: appOf({ Name }) }),
    provider: await make('Sso_SaveProvider', 'Provider', {
      Provider: { Name, Kind: 'oauth', Preset: 'github', ClientID: 'client' },
      Secret: 'a secret of the provider',
    }),
  };
}

const appOf = (named: object) => ({
  ...named,
  Kind: 'web',
  RedirectURIs: ['https://shop.example.com/callback'],
});

const providerOf = (named: object) => ({
  ...named,
  Kind: 'oidc',
  Issuer: 'https://login.example.com',
  ClientID: 'client',
});
