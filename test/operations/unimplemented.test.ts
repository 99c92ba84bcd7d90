import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@bailiwick/proto/registry.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { describeBoth, type Stack, startStack } from '../harness.ts';
import { createTenant, signUp } from '../people.ts';

// An operation may be declared before it is there, and then answers `unimplemented`. None does.

describeBoth('every operation', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  test('is implemented', async () => {
    const { token, email, id } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const values = { tenant, email, userId: id, url: stack.inboxUrl };
    const found = [];
    for (const operation of operations.values()) {
      // Signing out would end the session that the others need, and a long text is no JSON.
      if (!operation.public || operation.stream || operation.sessionCookie === 'clear') continue;
      const credential =
        operation.credential === 'worker'
          ? stack.workerToken
          : operation.credential === 'session'
            ? token
            : stack.platformKey;
      const answer = await stack.call(
        operation.name,
        validRequest(operation.name, values),
        credential,
      );
      assert.ok(answer.status < 500, `${operation.name}: ${JSON.stringify(answer.body)}`);
      assert.notEqual(
        answer.body.Code,
        'invalid_argument',
        `${operation.name}: ${JSON.stringify(answer.body)}`,
      );
      if (answer.body.Code !== 'unimplemented') continue;
      found.push(operation.name);
    }
    assert.deepEqual(found, []);
  });
});

type Values = { tenant: string; email: string; userId: string; url: string };

/** A request that passes every check of its shape. */
function validRequest(
  operation: string,
  { tenant: Tenant, email: Email, userId: UserID, url: URL }: Values,
): unknown {
  const [area = '', verb = ''] = operation.split('_');
  const everywhere = {
    Tenant,
    Email,
    UserID,
    Password: 'correct horse battery',
    Path: 'a',
    Slug: 'custom',
    Group: 'a',
    Name: 'a',
    Domain: 'example.com',
    Type: 'a.b',
    Permission: 'app.read',
    Changes: [{ Roles_Delete: { Tenant, Slug: 'custom' } }],
    Body: 'e30=',
  };
  const grant = { Tenant, Role: 'member', UserID, Group: 'a', Bot: createId('bot') };
  const records: Record<string, object> = {
    Groups: { Group: verb === 'Save' ? { Tenant, Path: 'a' } : 'a' },
    Roles: { Role: { Tenant, Slug: 'custom', Name: 'a', Permissions: ['app.read'] } },
    Grants: { Grant: grant },
    GroupGrants: { Grant: grant },
    BotGrants: { Grant: grant },
    Bots: { Bot: { Tenant, Name: 'a' }, ID: createId('bot') },
    BotKeys: {
      Bot: createId('bot'),
      ID: createId('bky'),
      ExpiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    },
    Domain: { ID: createId('dom'), Name: 'example.com' },
    Sso: {
      Provider: {
        Tenant,
        Kind: 'oidc',
        Name: 'a',
        Issuer: URL,
        ClientID: 'a',
        TokenAuthMethod: 'none',
      },
      ID: createId('sso'),
    },
    Webhooks: {
      Endpoint:
        verb === 'Deliver' || verb === 'ListAttempts'
          ? createId('whk')
          : { ID: createId('whk'), Tenant, Name: 'a', URL },
      ID: createId('whk'),
    },
    Chat: {
      Endpoint:
        verb === 'Deliver' || verb === 'ListAttempts'
          ? createId('slk')
          : { ID: createId('slk'), Tenant, Name: 'a' },
      ID: createId('slk'),
      URL,
    },
    // What closes a tenant or shuts a person out is asked about ones that there are not: the other operations need these.
    Tenants: {
      Tenant:
        { Create: { Name: 'a' }, Update: { ID: Tenant }, Get: Tenant }[verb] ?? createId('tnt'),
      OwnerID: UserID,
    },
    Account: { Kind: 'password_changed', Current: 'not the password' },
    Sessions: { ID: createId('ses') },
    Access: {
      Permission: 'app.read',
      Subject: UserID,
      Changes: [{ Roles_Save: { Role: { Tenant, Slug: 'custom' } } }],
    },
    Users: {
      User: verb === 'Create' ? { Email: `new-${Email}` } : { ID: UserID },
      UserID: createId('usr'),
    },
  };
  return {
    ...everywhere,
    Token: 'a-token',
    Code: 'a-code',
    Provider: createId('sso'),
    ...records[area],
  };
}
