import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { recordIn } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { claim } from '../support/domains.ts';
import type { Stack, Topology } from '../support/harness.ts';
import { createTenant, newAddress, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { noProfile, profile } from './updated-profile.ts';

// In every operation, an update or save replaces the sent fields and keeps the absent ones.

type Fields = Record<string, unknown>;

/** The key of RFC 8037, appendix A.2, in the form in which it is stored. */
const jwks =
  '{"keys":[{"crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","kty":"OKP","use":"sig"}]}';

/** One operation: its request, how to read its record, and the values of its fields. */
type Case = {
  operation: string;
  /** The required fields of the operation. */
  needed: Fields;
  /** Values that differ from those of a new record. */
  filled: Fields;
  /** The value of a field after `""`, `[]` or `{}`, where that is allowed. */
  cleared: Fields;
  /** The fields of the record that the operation does not accept. */
  readOnly?: readonly string[];
  /** The whole request for these fields of the record. */
  request: (fields: Fields) => object;
  read: () => Promise<Fields>;
};

/** The suite over one way of calls between services. */
export function testUpdates(topology: Topology): void {
  describe(`updates (${topology})`, () => {
    let stack: Stack;
    let cases: Case[];
    before(async () => {
      stack = await sharedStack(topology);
      cases = await casesFor(stack);
    });
    after(() => stack?.stop());

    const pick = (record: Fields, names: Fields): Fields =>
      Object.fromEntries(Object.keys(names).map((name) => [name, record[name]]));
    const without = (record: Fields, names: readonly string[] = []): Fields =>
      Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
    const tokens = new Map<string, string>();
    const save = async ({ operation, request }: Case, fields: Fields) => {
      const { status, body } = await stack.call(operation, request(fields), tokens.get(operation));
      assert.equal(status, 200, `${operation} ${JSON.stringify(fields)}: ${JSON.stringify(body)}`);
    };

    test('an update replaces sent fields, keeps absent and null ones, and clears empty ones', async () => {
      for (const testCase of cases) {
        const { operation, needed, filled, cleared, read } = testCase;
        await save(testCase, { ...needed, ...filled });
        assert.deepEqual(pick(await read(), filled), filled, `${operation}: sent`);
        const before = await read();
        await save(testCase, needed);
        assert.deepEqual(await read(), before, `${operation}: absent`);
        await save(testCase, {
          ...Object.fromEntries(Object.keys(filled).map((name) => [name, null])),
          ...needed,
        });
        assert.deepEqual(await read(), before, `${operation}: null`);
        for (const [name, empty] of Object.entries(cleared)) {
          await save(testCase, { ...needed, [name]: empty });
          assert.deepEqual(
            pick(await read(), filled),
            { ...pick(before, filled), [name]: empty },
            `${operation}: ${name} cleared`,
          );
          await save(testCase, { ...needed, [name]: filled[name] });
        }
        await save(testCase, without(await read(), testCase.readOnly));
        assert.deepEqual(
          pick(await read(), filled),
          filled,
          `${operation}: sent back as it was read`,
        );
      }
    });

    test('every operation that updates or saves is in the table', async () => {
      const { operations } = await import('@bailiwick/proto/registry.ts');
      const names = [...operations.values()]
        .filter(({ name, public: routed }) => routed && /_(Update|Save)[A-Za-z]*$/.test(name))
        .map(({ name }) => name);
      assert.deepEqual(cases.map(({ operation }) => operation).sort(), names.sort());
    });

    async function casesFor(stack: Stack): Promise<Case[]> {
      const { id, email, token } = await signUp(stack);
      const Tenant = await createTenant(stack, token);
      const call = (operation: string, body: object, by = token) => stack.call(operation, body, by);
      const readOf = (operation: string, request: object, key: string) => async () =>
        recordIn(await call(operation, request), key) as Fields;
      const make = async (operation: string, request: object, key: string) =>
        recordIn(await call(operation, request), key) as Fields & { ID: string };
      const URL = `${stack.inboxUrl}/hooks/a`;
      const bot = await createBot(stack, Tenant, token);
      const domain = await claim(stack, Tenant, token);
      const webhook = await make(
        'Webhooks_CreateEndpoint',
        { Endpoint: { Tenant, Name: 'a', URL } },
        'Endpoint',
      );
      const chat = await make(
        'Chat_CreateEndpoint',
        { Endpoint: { Tenant, Name: 'a' }, URL },
        'Endpoint',
      );
      const oidc = { Kind: 'oidc', Issuer: `${stack.inboxUrl}/idp`, ClientID: 'a' };
      const provider = await make(
        'Sso_SaveProvider',
        { Provider: { Tenant, Name: 'a', ...oidc }, Secret: 's' },
        'Provider',
      );
      const web = { Tenant, Name: 'a', Kind: 'web', RedirectURIs: ['https://a.example/back'] };
      const app = await make('Apps_Save', { App: web }, 'App');
      const trusted = {
        Tenant,
        Bot: bot.ID,
        Issuer: 'https://a.example',
        Audience: 'a',
        Subject: 'a',
      };
      const trust = await make('BotTrusts_Save', { Trust: trusted }, 'Trust');
      const person = recordIn(
        await stack.call('Users_Create', { User: { Email: newAddress() } }, stack.platformKey),
        'User',
      ) as { ID: string };
      for (const operation of ['Users_Update']) tokens.set(operation, stack.platformKey);
      const endpoint = { Active: false, EventTypes: ['group.created'], Description: 'd' };
      const settings = {
        SessionIdleMinutes: 60,
        SessionMaxMinutes: 600,
        InviteDomains: ['a.example'],
        MaxBotKeyDays: 30,
        AuditRetentionDays: 90,
        DefaultRole: 'member',
      };
      const readTenant = readOf('Tenants_Get', { Tenant }, 'Tenant');
      const list = [
        {
          operation: 'Account_Update',
          needed: {},
          filled: profile,
          cleared: noProfile,
          key: 'User',
          read: readOf('Account_Get', {}, 'User'),
        },
        {
          operation: 'Users_Update',
          needed: { ID: person.ID },
          filled: { ...profile, ExternalID: 'hr-1' },
          cleared: { ...noProfile, ExternalID: '' },
          key: 'User',
          read: async () =>
            recordIn(
              await call('Users_Get', { UserID: person.ID }, stack.platformKey),
              'User',
            ) as Fields,
        },
        {
          operation: 'Bots_Save',
          needed: { Tenant, ID: bot.ID, Name: 'bot' },
          filled: { Description: 'd', Active: false, Metadata: { a: '1' } },
          cleared: { Description: '', Metadata: {} },
          key: 'Bot',
          read: readOf('Bots_Get', { Tenant, ID: bot.ID }, 'Bot'),
        },
        {
          operation: 'BotTrusts_Save',
          needed: { ...trusted, ID: trust.ID },
          filled: { Claims: { environment: 'production' }, JWKS: jwks },
          cleared: { Claims: {}, JWKS: '' },
          key: 'Trust',
          read: readOf('BotTrusts_Get', { Tenant, ID: trust.ID }, 'Trust'),
        },
        {
          operation: 'Apps_Save',
          needed: { Tenant, ID: app.ID, Name: 'b', Kind: 'web' },
          filled: {
            Active: false,
            PostLogoutRedirectURIs: ['https://a.example/out'],
            BackchannelLogoutURI: 'https://a.example/ended',
            Resources: ['https://api.example'],
            TokenLifetimeSeconds: 600,
            RefreshReuseSeconds: 20,
            RequireConsent: true,
            RequirePAR: true,
            DPoP: true,
            TokenEndpointAuthMethod: 'client_secret_post',
          },
          cleared: { PostLogoutRedirectURIs: [], BackchannelLogoutURI: '', Resources: [] },
          key: 'App',
          read: readOf('Apps_Get', { Tenant, ID: app.ID }, 'App'),
        },
        {
          operation: 'Groups_Save',
          needed: { Tenant, Path: 'eng' },
          filled: { Name: 'n', Description: 'd', ExternalID: 'e', Metadata: { a: '1' } },
          cleared: { Name: '', Description: '', ExternalID: '', Metadata: {} },
          key: 'Group',
          read: readOf('Groups_Get', { Tenant, Path: 'eng' }, 'Group'),
        },
        {
          operation: 'Roles_Save',
          needed: { Tenant, Slug: 'editor' },
          filled: { Name: 'n', Description: 'd', Permissions: ['app.read'] },
          cleared: { Name: '', Description: '', Permissions: [] },
          key: 'Role',
          read: readOf('Roles_Get', { Tenant, Slug: 'editor' }, 'Role'),
        },
        {
          operation: 'Tenants_Update',
          needed: { ID: Tenant },
          filled: { Name: 'n', Slug: `t-${Tenant.slice(-20)}`, Metadata: { a: '1' } },
          cleared: { Metadata: {} },
          key: 'Tenant',
          read: readTenant,
        },
        {
          operation: 'Domain_Update',
          needed: { Tenant, ID: domain.ID },
          filled: { Capture: 'suggest', DefaultRole: 'auditor' },
          cleared: { DefaultRole: '' },
          readOnly: ['Name'],
          key: '',
          read: readOf('Domain_Get', { Tenant, ID: domain.ID }, 'Domain'),
        },
        {
          operation: 'Sso_SaveProvider',
          needed: { Tenant, ID: provider.ID, Name: 'p' },
          filled: {
            Active: false,
            Issuer: oidc.Issuer,
            ClientID: 'b',
            Scopes: ['email'],
            TokenAuthMethod: 'client_secret_post',
            ResponseMode: 'form_post',
            AllowIdpInitiated: true,
            Jit: false,
            DefaultRoles: ['member'],
            GroupMappings: [{ Value: 'v', Group: '', Role: 'member' }],
            AttributeMap: { Email: 'mail' },
          },
          cleared: { Scopes: [], DefaultRoles: [], GroupMappings: [], AttributeMap: {} },
          key: 'Provider',
          read: readOf('Sso_GetProvider', { Tenant, ID: provider.ID }, 'Provider'),
        },
        {
          operation: 'Webhooks_UpdateEndpoint',
          needed: { ID: webhook.ID, Name: 'b', URL },
          filled: { ...endpoint, RateLimit: 5 },
          cleared: { EventTypes: [], Description: '', RateLimit: 0 },
          key: 'Endpoint',
          read: readOf('Webhooks_GetEndpoint', { Tenant, ID: webhook.ID }, 'Endpoint'),
        },
        {
          operation: 'Chat_UpdateEndpoint',
          needed: { ID: chat.ID, Name: 'b' },
          filled: endpoint,
          cleared: { EventTypes: [], Description: '' },
          key: 'Endpoint',
          read: readOf('Chat_GetEndpoint', { Tenant, ID: chat.ID }, 'Endpoint'),
        },
      ];
      assert.ok(id !== '' && email !== '');
      for (const { operation } of list) if (!tokens.has(operation)) tokens.set(operation, token);
      await call('Tenants_Update', { Tenant: { ID: Tenant, Settings: settings } });
      return list.map(({ key, ...testCase }) => ({
        ...testCase,
        request: (fields: Fields) => (key === '' ? fields : { [key]: fields }),
      }));
    }

    test('each of a tenant’s settings is kept or replaced on its own', async () => {
      const { read } =
        cases.find(({ operation }) => operation === 'Tenants_Update') ?? assert.fail();
      const { ID, Settings } = (await read()) as { ID: string; Settings: Fields };
      assert.deepEqual(
        [Settings['MaxBotKeyDays'], Settings['InviteDomains'], Settings['DefaultRole']],
        [30, ['a.example'], 'member'],
      );
      const update = async (settings: Fields | null) => {
        const tenant = recordIn(
          await stack.call(
            'Tenants_Update',
            { Tenant: { ID, Settings: settings } },
            tokens.get('Tenants_Update'),
          ),
          'Tenant',
        );
        return (tenant as { Settings: Fields }).Settings;
      };
      for (const same of [
        null,
        {},
        Object.fromEntries(Object.keys(Settings).map((name) => [name, null])),
      ])
        assert.deepEqual(await update(same), Settings);
      assert.deepEqual(await update({ InviteDomains: [], DefaultRole: '' }), {
        ...Settings,
        InviteDomains: [],
        DefaultRole: '',
      });
    });
  });
}
