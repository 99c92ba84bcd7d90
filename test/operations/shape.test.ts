import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { operations } from '@bailiwick/contract';
import { requestExample } from '@bailiwick/contract/examples';
import { assertRefused } from '../support/answers.ts';
import { createBot, createKey } from '../support/bots.ts';
import { describeOne, type Stack } from '../support/harness.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

/** The operations about one tenant, with the name of the tenant field in messages. */
const tenantPaths: Record<string, string> = Object.fromEntries(
  [...operations.values()].flatMap((operation) => {
    const rule = operation.public && operation.allow.find(({ kind }) => kind === 'tenant');
    if (!rule || rule.kind !== 'tenant') return [];
    const [first = '', second] = rule.field.split('.');
    const record = `${first[0]?.toUpperCase()}${first.slice(1)}`;
    if (second === undefined) return [[operation.name, 'Tenant']];
    return [
      [
        operation.name,
        second === 'id' ? `${record}.ID` : record === 'Endpoint' ? 'Tenant' : `${record}.Tenant`,
      ],
    ];
  }),
);

/**
 * Exceptions, by hand from the contract: CreateEndpoint defaults to the caller's only tenant,
 * UpdateEndpoint to the stored one, and the platform has an audit log, receipts and providers of its own.
 */
function isExempt(operation: string, caller: string): boolean {
  if (/^(Webhooks|Chat)_UpdateEndpoint$/.test(operation)) return true;
  if (/^(Webhooks|Chat)_CreateEndpoint$/.test(operation)) return ['owner', 'bot'].includes(caller);
  if (
    /^Apps_|^AppLogouts_|^Audit_|^LockReceipts_Get$|^Tokens_Introspect$|^Sso_\w+Providers?$/.test(
      operation,
    )
  )
    return caller === 'platform';
  return false;
}

/** The operation's example without its tenant. */
function withoutTenant(operation: string): object {
  const described = operations.get(operation);
  assert.ok(described);
  const example = requestExample(described) as Record<string, Record<string, unknown>>;
  if (operation === 'Tenants_Update')
    return { ...example, Tenant: { ...example['Tenant'], ID: '' } };
  const blank = (record: Record<string, unknown>) =>
    Object.fromEntries(
      Object.entries(record).filter(([key]) => key !== 'Tenant' && key !== 'Platform'),
    );
  const isRecord = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  return Object.fromEntries(
    Object.entries(blank(example)).map(([key, value]) => [
      key,
      isRecord(value) ? blank(value as never) : value,
    ]),
  );
}

// All checks of the request alone are reported in one list, before the permission is checked.

describeOne('the shape of a request', 'one process', (topology) => {
  let stack: Stack;
  let ada: Awaited<ReturnType<typeof signUp>>;
  let Tenant: string;
  /** A caller without any right in the tenant. */
  let bob: typeof ada;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
    Tenant = await createTenant(stack, ada.token);
  });
  after(() => stack?.stop());

  const past = '2020-01-01T00:00:00Z';
  const common = 'Password is one of the most common passwords';
  const ownNames = "Password must not be made of the mail address or the product's name";

  async function refused(
    operation: string,
    body: object,
    messages: string[],
    token?: string,
  ): Promise<void> {
    assertRefused(await stack.call(operation, body, token), 400, 'invalid_argument', messages);
  }

  test('every operation that names a tenant requires it before any permission, for every caller', async () => {
    const { ID: Bot } = await createBot(stack, Tenant, ada.token);
    const { Secret } = await createKey(stack, { ID: Bot, Tenant }, ada.token);
    const callers = {
      owner: ada.token,
      stranger: bob.token,
      bot: Secret,
      platform: stack.platformKey,
      worker: stack.workerToken,
    };
    for (const [operation, path] of Object.entries(tenantPaths)) {
      for (const [caller, token] of Object.entries(callers)) {
        if (isExempt(operation, caller)) continue;
        const { status, body } = await stack.call(operation, withoutTenant(operation), token);
        const what = `${operation} by ${caller}: ${JSON.stringify(body)}`;
        assert.equal(status, 400, what);
        assert.ok(body.Messages?.includes(`${path} is required`), what);
      }
    }
  });

  test('a password is checked together with all other fields, even if these have a wrong type', async () => {
    await refused('Account_Register', { Email: 'nope', Password: 'password' }, [
      'Email must be a mail address',
      common,
    ]);
    await refused('Account_Register', { Email: 7, Password: 'password' }, [
      'Email must be a string',
      common,
    ]);
    await refused('Account_Register', { Email: 'lovelace@example.com', Password: 'Lovelace1' }, [
      ownNames,
    ]);
    await refused('Account_ResetPassword', { Password: 'Bailiwick1' }, [
      'Token is required',
      ownNames,
    ]);
    await refused(
      'Account_ChangePassword',
      { Password: 'password' },
      ['Current is required', common],
      ada.token,
    );
    await refused(
      'Users_Create',
      { User: { Email: 'ada@xn--ü.com' }, Password: 'password' },
      ['User.Email must be a mail address', common],
      ada.token,
    );
  });

  test('a password made of the address is refused, even if only the account has the address', async () => {
    const email = newAddress('lovelace');
    const { token } = await signUp(stack, email);
    await refused(
      'Account_ChangePassword',
      { Current: password, Password: email.split('@')[0] },
      [ownNames],
      token,
    );
  });

  test('receiver URLs are checked together with all other fields', async () => {
    const https = 'must begin with https://';
    const endpoint = { Tenant, Name: '', URL: 'ftp://x' };
    await refused(
      'Webhooks_CreateEndpoint',
      { Endpoint: endpoint },
      ['endpoint name is required', `Endpoint.URL ${https}`],
      ada.token,
    );
    await refused(
      'Chat_CreateEndpoint',
      { Endpoint: { Tenant }, URL: 'ftp://x' },
      ['endpoint name is required', `URL ${https}`],
      ada.token,
    );
    await refused(
      'Chat_UpdateEndpoint',
      { Endpoint: { Name: 'a' }, URL: 'ftp://x' },
      ['endpoint id is required', `URL ${https}`],
      ada.token,
    );
  });

  test('names, permissions, times and providers are checked together with all other fields', async () => {
    await refused(
      'Domain_Create',
      { Name: 'co.uk' },
      [
        'Tenant is required',
        'Name must not be a public suffix: anyone can register a name below it',
      ],
      ada.token,
    );
    const role = { Tenant, Slug: 'X', Permissions: ['iam.wirte'] };
    const slug =
      'Role.Slug must be 2 to 63 lower-case letters, digits and "-", beginning with a letter';
    await refused(
      'Roles_Save',
      { Role: role },
      [slug, 'Role.Permissions iam.wirte is not a built-in permission'],
      ada.token,
    );
    for (const [operation, subject] of [
      ['Grants_Add', 'UserID'],
      ['GroupGrants_Add', 'Group'],
      ['BotGrants_Add', 'Bot'],
    ] as const) {
      const grant = { Tenant, Role: 'member', ExpiresAt: past };
      await refused(
        operation,
        { Grant: grant },
        [`Grant.${subject} is required`, 'Grant.ExpiresAt must be in the future'],
        ada.token,
      );
    }
    const body = Buffer.from('[]').toString('base64');
    await refused(
      'Events_Publish',
      { Tenant, Body: body },
      ['Type is required', 'Body must be a JSON object in UTF-8'],
      ada.token,
    );
    const provider = { Tenant, Kind: 'oidc', Issuer: 'ftp://x', GroupMappings: [{ Group: 'eng' }] };
    await refused(
      'Sso_SaveProvider',
      { Provider: provider, MetadataURL: 'ftp://x' },
      [
        'Provider.Name is required',
        'Provider.GroupMappings[0].Value is required',
        'MetadataURL must begin with https://',
        'Provider.Issuer must begin with https://',
        'Provider.ClientID is required',
        'Secret is required with client_secret_basic',
      ],
      ada.token,
    );
  });

  test('the shape is checked before the permission', async () => {
    const calls: Array<[string, object]> = [
      ['Webhooks_CreateEndpoint', { Endpoint: { Tenant, Name: 'a', URL: 'https://10.0.0.1/' } }],
      ['Chat_CreateEndpoint', { Endpoint: { Tenant, Name: 'a' }, URL: 'https://10.0.0.1/' }],
      ['Domain_Create', { Tenant, Name: 'co.uk' }],
      ['Roles_Save', { Role: { Tenant, Slug: 'editor', Permissions: ['iam.wirte'] } }],
      ['Grants_Add', { Grant: { Tenant, UserID: bob.id, Role: 'member', ExpiresAt: past } }],
      ['Sso_SaveProvider', { Provider: { Tenant, Kind: 'saml', Name: 'a' } }],
      ['Users_Create', { User: { Email: newAddress() }, Password: 'password' }],
    ];
    for (const [operation, body] of calls)
      assertRefused(await stack.call(operation, body, bob.token), 400, 'invalid_argument');
    assertRefused(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { Tenant, Name: 'a', URL: 'https://receiver.example/' } },
        bob.token,
      ),
      403,
      'permission_denied',
    );
  });

  test('a request refused only for a wrong type has no effect', async () => {
    const { email, token } = await signUp(stack);
    const sessions = async () =>
      ((await stack.call('Sessions_List', {}, token)).body['Page'] as { Items: unknown[] }).Items
        .length;
    const before = await sessions();
    await refused('Account_Login', { Email: email, Password: password, Cookie: 'yes' }, [
      'Cookie must be true or false',
    ]);
    assert.equal(await sessions(), before);
  });
});
