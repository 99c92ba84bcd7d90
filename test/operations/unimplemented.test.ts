import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { operations } from '@bailiwick/proto/registry.ts';
import { createId } from '@bailiwick/shared/ids.ts';
import { describeBoth, type Stack, startStack } from '../harness.ts';
import { createTenant, signUp } from '../people.ts';

// The operations that are declared and not there yet. The list only ever gets shorter.
const declared = [
  'BotGrants_Add',
  'BotGrants_ListByTenant',
  'BotGrants_Remove',
  'BotKeys_Create',
  'BotKeys_Get',
  'BotKeys_List',
  'BotKeys_SetExpiration',
  'Bots_Delete',
  'Bots_Get',
  'Bots_List',
  'Bots_Save',
  'Chat_CreateEndpoint',
  'Chat_DeleteEndpoint',
  'Chat_Deliver',
  'Chat_GetEndpoint',
  'Chat_ListEndpoints',
  'Chat_UpdateEndpoint',
  'Domain_Create',
  'Domain_Delete',
  'Domain_Get',
  'Domain_List',
  'Domain_Verify',
  'Grants_Add',
  'Grants_List',
  'Grants_ListByTenant',
  'Grants_Remove',
  'GroupGrants_Add',
  'GroupGrants_ListByTenant',
  'GroupGrants_Remove',
  'Roles_Delete',
  'Roles_Get',
  'Roles_List',
  'Roles_ListByTenant',
  'Roles_Save',
  'TenantInvitations_Accept',
  'TenantInvitations_Create',
  'TenantInvitations_Decline',
  'TenantInvitations_Delete',
  'TenantInvitations_List',
  'TenantInvitations_ListByEmail',
  'Users_List',
  'Users_ListByTenant',
];

describeBoth('what is not implemented yet', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
  });
  after(() => stack?.stop());

  test('is exactly the list, and says so in an ErrorResponse', async () => {
    const { token, email, id } = await signUp(stack);
    const tenant = await createTenant(stack, token);
    const values = { tenant, email, userId: id, url: stack.inboxUrl };
    const found = [];
    for (const operation of operations.values()) {
      // Signing out would end the session that the others need.
      if (!operation.public || operation.sessionCookie === 'clear') continue;
      const credential = operation.credential === 'worker' ? stack.workerToken : operation.credential === 'session' ? token : stack.platformKey;
      const answer = await stack.call(operation.name, validRequest(operation.name, values), credential);
      assert.ok(answer.status < 500, `${operation.name}: ${JSON.stringify(answer.body)}`);
      assert.notEqual(answer.body.Code, 'invalid_argument', `${operation.name}: ${JSON.stringify(answer.body)}`);
      if (answer.body.Code !== 'unimplemented') continue;
      assert.equal(answer.status, 400);
      found.push(operation.name);
    }
    assert.deepEqual(found.sort(), declared);
  });
});

type Values = { tenant: string; email: string; userId: string; url: string };

/** A request that passes every check of its shape. */
function validRequest(operation: string, { tenant: Tenant, email: Email, userId: UserID, url: URL }: Values): unknown {
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
    BotKeys: { Bot: createId('bot'), ID: createId('bky'), ExpiresAt: '2030-01-01T00:00:00Z' },
    Domain: { ID: createId('dom'), Name: 'example.com' },
    Webhooks: { Endpoint: verb === 'Deliver' ? createId('whk') : { ID: createId('whk'), Tenant, Name: 'a', URL }, ID: createId('whk') },
    Chat: { Endpoint: verb === 'Deliver' ? createId('slk') : { ID: createId('slk'), Tenant, Name: 'a' }, ID: createId('slk'), URL },
    Tenants: verb === 'Create' ? { Tenant: { Name: 'a' }, OwnerID: UserID } : {},
    Account: { Kind: 'password_changed', Current: 'not the password' },
    Sessions: { ID: createId('ses') },
    Users: { User: { Email: `new-${Email}` } },
  };
  return { ...everywhere, Token: 'a-token', ...records[area] };
}
