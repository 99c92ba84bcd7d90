import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused } from '../../support/answers.ts';
import { createBot } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';

// Fields that are unknown, managed by the service, of a wrong type or blank.
describeOne('bad fields', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ token } = await signUp(stack));
  });
  after(() => stack?.stop());

  test('unknown keys are refused by name, together with all other failures, and nothing is stored', async () => {
    const Tenant = await createTenant(stack, token);
    const { id: UserID } = await signUp(stack);
    const grants = 'select count(*)::int as n from access.grant_entry where tenant = $1';
    const before = await rowsOf(stack, grants, [Tenant]);
    const grant = { Tenant, UserID, Role: 'admin', ExpireAt: '2030-01-01T00:00:00Z' };
    const unknown = 'Grant.ExpireAt is not a known field; did you mean ExpiresAt?';
    for (const operation of ['Grants_Add', 'Grants_Remove']) {
      assert.deepEqual((await stack.call(operation, { Grant: grant }, token)).body.Messages, [
        unknown,
      ]);
    }
    const { Role: _role, ...without } = grant;
    assert.deepEqual(
      (await stack.call('Grants_Add', { Grant: without, grant }, token)).body.Messages,
      ['grant is not a known field; did you mean Grant?', unknown, 'Grant.Role is required'],
    );
    assert.deepEqual(await rowsOf(stack, grants, [Tenant]), before);
    const named = await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, name: 'a', URL: 'ftp://x' } },
      token,
    );
    const messages = [
      'Endpoint.name is not a known field; did you mean Name?',
      'endpoint name is required',
      'Endpoint.URL must begin with https://',
    ];
    assert.deepEqual(named.body.Messages, messages);
  });

  test('keys that the service sets are ignored with any value, a client’s own secret included', async () => {
    const Tenant = await createTenant(stack, token);
    const managed = {
      ID: 7,
      DekID: {},
      SecretEnc: 'x',
      CreatedAt: [],
      PreviousSecretUntil: 1,
      DisabledReason: true,
      Secret: 'mine',
    };
    const answer = await stack.call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: { Tenant, Name: 'a', URL: `${stack.inboxUrl}/hooks/a`, ...managed },
        Secret: 'mine',
      },
      token,
    );
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.notEqual(answer.body['Secret'], 'mine');
  });

  test('a value of a wrong type is reported once', async () => {
    const Tenant = await createTenant(stack, token);
    const once = async (operation: string, body: object, ...messages: string[]) =>
      assert.deepEqual(
        (await stack.call(operation, body, token)).body.Messages,
        messages,
        JSON.stringify(body),
      );
    const URL = `${stack.inboxUrl}/hooks/a`;
    await once(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant, Name: 5, URL } },
      'Endpoint.Name must be a string',
    );
    await once(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: 5, Name: 'a', URL } },
      'Endpoint.Tenant must be a string',
    );
    await once('Webhooks_CreateEndpoint', { Endpoint: 5 }, 'Endpoint must be an object');
    await once('Webhooks_ListEndpoints', { Tenant: [] }, 'Tenant must be a string');
    const provider = {
      Tenant,
      Name: 'a',
      Kind: 'oidc',
      Issuer: 'https://idp.example',
      ClientID: 5,
    };
    await once(
      'Sso_SaveProvider',
      { Provider: provider, Secret: 's' },
      'Provider.ClientID must be a string',
    );
    await once(
      'Sso_SaveProvider',
      { Provider: { ...provider, ClientID: 'a' }, Secret: 5 },
      'Secret must be a string',
    );
    const permissions = { Tenant, Slug: 'editor', Permissions: ['app.read', 5] };
    await once('Roles_Save', { Role: permissions }, 'Role.Permissions[1] must be a string');
  });

  test('a blank name is refused like an empty one', async () => {
    const Tenant = await createTenant(stack, token);
    const { ID: Bot } = await createBot(stack, Tenant, token);
    const URL = `${stack.inboxUrl}/hooks/a`;
    for (const Name of ['', '   ', '\t\n', '\u00a0\u2003\u3000', '\u200b']) {
      const calls: Array<[operation: string, body: object, message: string]> = [
        [
          'Webhooks_CreateEndpoint',
          { Endpoint: { Tenant, Name, URL } },
          'endpoint name is required',
        ],
        [
          'Webhooks_UpdateEndpoint',
          { Endpoint: { Tenant, ID: createId('whk'), Name, URL } },
          'endpoint name is required',
        ],
        ['Chat_CreateEndpoint', { Endpoint: { Tenant, Name }, URL }, 'endpoint name is required'],
        [
          'Chat_UpdateEndpoint',
          { Endpoint: { Tenant, ID: createId('slk'), Name } },
          'endpoint name is required',
        ],
        ['Bots_Save', { Bot: { Tenant, Name } }, 'Bot.Name is required'],
        ['BotKeys_Create', { Tenant, Bot, Name }, 'Name is required'],
        ['Tenants_Create', { Tenant: { Name } }, 'Tenant.Name is required'],
        [
          'Tenants_Update',
          { Tenant: { ID: Tenant, Name } },
          Name === '' ? 'Tenant.Name must not be empty' : 'Tenant.Name is required',
        ],
        [
          'Sso_SaveProvider',
          { Provider: { Tenant, Kind: 'saml', Name } },
          'Provider.Name is required',
        ],
        [
          'Domain_Create',
          { Tenant, Name },
          Name === '' ? 'Name is required' : 'Name must be a domain name such as example.com',
        ],
      ];
      for (const [operation, body, message] of calls) {
        const answer = await stack.call(operation, body, token);
        assertRefused(answer, 400, 'invalid_argument');
        assert.ok(
          answer.body.Messages?.includes(message),
          `${operation} ${JSON.stringify(Name)}: ${JSON.stringify(answer.body.Messages)}`,
        );
      }
    }
  });

  test('an invalid cursor is reported together with an empty tenant and other failures', async () => {
    const cursor = 'Page.Cursor is not a cursor of this list';
    for (const Cursor of ['nope', 'x'.repeat(60), 'not base64!']) {
      const answer = await stack.call(
        'Groups_List',
        { Tenant: '', Page: { Cursor, Limit: -1 } },
        token,
      );
      assert.deepEqual(answer.body.Messages, [
        'Tenant is required',
        'Page.Limit must be at least 0',
        cursor,
      ]);
      assert.deepEqual(
        (await stack.call('Webhooks_ListEndpoints', { Page: { Cursor } }, token)).body.Messages,
        ['Tenant is required', cursor],
      );
    }
  });
});
