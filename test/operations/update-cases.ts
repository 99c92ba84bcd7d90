import { recordIn } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { claim } from '../support/domains.ts';
import type { Stack } from '../support/harness.ts';
import { createTenant, newAddress, signUp } from '../support/people.ts';
import { platformProviders, providers } from './access/update-providers.ts';
import { noProfile, profile } from './identity/updated-profile.ts';
import type { Fields, RecordWithId, UpdateCase, UpdatePlace } from './update-case.ts';

// The operations that update or save a record, each with a record and the values of its fields.

/** The key of RFC 8037, appendix A.2, in the form in which it is stored. */
const jwks =
  '{"keys":[{"crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kty":"OKP","use":"sig"}]}';

export async function casesOf(stack: Stack): Promise<UpdateCase[]> {
  const { token } = await signUp(stack);
  const tenant = await createTenant(stack, token);
  const make: UpdatePlace['make'] = async (operation, request, key, by = token) =>
    recordIn(await stack.call(operation, request, by), key) as RecordWithId;
  const place: UpdatePlace = {
    stack,
    token,
    tenant,
    make,
    readOf:
      (operation, request, key, by = token) =>
      async () =>
        recordIn(await stack.call(operation, request, by), key) as Fields,
  };
  const lists = [people, bots, apps, groups, tenants, providers, platformProviders, endpoints];
  return (await Promise.all(lists.map((list) => list(place)))).flat();
}

async function people({ stack, token, make, readOf }: UpdatePlace): Promise<UpdateCase[]> {
  const by = stack.platformKey;
  const { ID } = await make('Users_Create', { User: { Email: newAddress() } }, 'User', by);
  return [
    {
      operation: 'Account_Update',
      token,
      key: 'User',
      needed: {},
      filled: profile,
      cleared: noProfile,
      elsewhere: ['Email', 'ExternalID'],
      read: readOf('Account_Get', {}, 'User'),
    },
    {
      operation: 'Users_Update',
      token: by,
      key: 'User',
      needed: { ID },
      filled: { ...profile, ExternalID: 'hr-1' },
      cleared: { ...noProfile, ExternalID: '' },
      elsewhere: ['Email'],
      read: readOf('Users_Get', { UserID: ID }, 'User', by),
    },
  ];
}

async function bots({ stack, token, tenant, make, readOf }: UpdatePlace): Promise<UpdateCase[]> {
  const Tenant = tenant;
  const bot = await createBot(stack, Tenant, token);
  const Trust = {
    Tenant,
    Bot: bot.ID,
    Issuer: 'https://a.example',
    Audience: 'a',
    Subject: 'a',
  };
  const trust = await make('BotTrusts_Save', { Trust }, 'Trust');
  return [
    {
      operation: 'Bots_Save',
      token,
      key: 'Bot',
      needed: { Tenant, ID: bot.ID },
      filled: { Name: 'b', Description: 'd', Active: false, Metadata: { a: '1' } },
      cleared: { Description: '', Metadata: {} },
      read: readOf('Bots_Get', { Tenant, ID: bot.ID }, 'Bot'),
    },
    {
      operation: 'BotTrusts_Save',
      token,
      key: 'Trust',
      needed: { Tenant, ID: trust.ID },
      filled: {
        Issuer: 'https://b.example',
        Audience: 'b',
        Subject: 'b:*',
        Claims: { environment: 'production' },
        JWKS: jwks,
      },
      cleared: { Claims: {}, JWKS: '' },
      elsewhere: ['Bot'],
      read: readOf('BotTrusts_Get', { Tenant, ID: trust.ID }, 'Trust'),
    },
  ];
}

async function apps({ token, tenant, make, readOf }: UpdatePlace): Promise<UpdateCase[]> {
  const Tenant = tenant;
  const App = { Tenant, Name: 'a', Kind: 'web', RedirectURIs: ['https://a.example/back'] };
  const { ID } = await make('Apps_Save', { App }, 'App');
  return [
    {
      operation: 'Apps_Save',
      token,
      key: 'App',
      needed: { Tenant, ID },
      filled: {
        Name: 'b',
        Active: false,
        RedirectURIs: ['https://b.example/back'],
        PostLogoutRedirectURIs: ['https://a.example/out'],
        BackchannelLogoutURI: 'https://a.example/ended',
        Scopes: ['openid'],
        Resources: ['https://api.example'],
        TokenLifetimeSeconds: 600,
        RefreshReuseSeconds: 20,
        RequireConsent: true,
        RequirePAR: true,
        DPoP: true,
        Jwks: jwks,
        TokenEndpointAuthMethod: 'private_key_jwt',
      },
      cleared: {
        PostLogoutRedirectURIs: [],
        BackchannelLogoutURI: '',
        Scopes: [],
        Resources: [],
      },
      elsewhere: ['Kind'],
      read: readOf('Apps_Get', { Tenant, ID }, 'App'),
    },
  ];
}

async function groups({ token, tenant, make, readOf }: UpdatePlace): Promise<UpdateCase[]> {
  const Tenant = tenant;
  const [group, role] = [
    { Tenant, Path: 'eng' },
    { Tenant, Slug: 'editor' },
  ];
  await make('Groups_Save', { Group: group }, '');
  await make('Roles_Save', { Role: role }, '');
  return [
    {
      operation: 'Groups_Save',
      token,
      key: 'Group',
      needed: group,
      filled: { Name: 'n', Description: 'd', ExternalID: 'e', Metadata: { a: '1' } },
      cleared: { Name: '', Description: '', ExternalID: '', Metadata: {} },
      read: readOf('Groups_Get', group, 'Group'),
    },
    {
      operation: 'Roles_Save',
      token,
      key: 'Role',
      needed: role,
      filled: { Name: 'n', Description: 'd', Permissions: ['app.read'] },
      cleared: { Name: '', Description: '', Permissions: [] },
      read: readOf('Roles_Get', role, 'Role'),
    },
  ];
}

async function tenants({ stack, token, tenant, make, readOf }: UpdatePlace): Promise<UpdateCase[]> {
  const domain = await claim(stack, tenant, token);
  const Settings = {
    SessionIdleMinutes: 60,
    SessionMaxMinutes: 600,
    InviteDomains: ['a.example'],
    MaxBotKeyDays: 30,
    AuditRetentionDays: 90,
    DefaultRole: 'member',
  };
  await make('Tenants_Update', { Tenant: { ID: tenant, Settings } }, 'Tenant');
  return [
    {
      operation: 'Tenants_Update',
      token,
      key: 'Tenant',
      needed: { ID: tenant },
      filled: { Name: 'n', Slug: `t-${tenant.slice(-20)}`, Metadata: { a: '1' } },
      cleared: { Metadata: {} },
      // Each of their fields is kept or replaced on its own: see below, and tenant-branding.test.ts.
      elsewhere: ['Settings', 'Branding'],
      read: readOf('Tenants_Get', { Tenant: tenant }, 'Tenant'),
    },
    {
      operation: 'Domain_Update',
      token,
      key: '',
      needed: { Tenant: tenant, ID: domain.ID },
      filled: { Capture: 'suggest', DefaultRole: 'auditor' },
      cleared: { DefaultRole: '' },
      readOnly: ['Name'],
      read: readOf('Domain_Get', { Tenant: tenant, ID: domain.ID }, 'Domain'),
    },
  ];
}

async function endpoints({
  stack,
  token,
  tenant,
  make,
  readOf,
}: UpdatePlace): Promise<UpdateCase[]> {
  const Tenant = tenant;
  const URL = `${stack.inboxUrl}/hooks/a`;
  const Endpoint = { Tenant, Name: 'a' };
  const create = async (operation: string, request: object) =>
    (await make(operation, request, 'Endpoint')).ID;
  const webhook = await create('Webhooks_CreateEndpoint', { Endpoint: { ...Endpoint, URL } });
  const chat = await create('Chat_CreateEndpoint', { Endpoint, URL });
  const filled = { Active: false, EventTypes: ['group.created'], Description: 'd' };
  const cleared = { EventTypes: [], Description: '' };
  const elsewhere = ['Tenant'];
  return [
    {
      operation: 'Webhooks_UpdateEndpoint',
      token,
      key: 'Endpoint',
      needed: { ID: webhook, Name: 'b', URL },
      filled: { ...filled, RateLimit: 5 },
      cleared: { ...cleared, RateLimit: 0 },
      elsewhere,
      read: readOf('Webhooks_GetEndpoint', { Tenant, ID: webhook }, 'Endpoint'),
    },
    {
      operation: 'Chat_UpdateEndpoint',
      token,
      key: 'Endpoint',
      needed: { ID: chat, Name: 'b' },
      filled: { ...filled, Kind: 'slack' },
      cleared,
      elsewhere,
      read: readOf('Chat_GetEndpoint', { Tenant, ID: chat }, 'Endpoint'),
    },
  ];
}
