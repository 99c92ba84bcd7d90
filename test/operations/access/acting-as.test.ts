import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

// What lets a caller act as a user counts as granting all that the user holds, in every tenant and
// on the platform.

const ways: ReadonlyArray<[operation: string, request: (UserID: string) => object]> = [
  ['Users_ResetFactors', (UserID) => ({ UserID, Reason: 'lost phone' })],
  ['Users_Update', (ID) => ({ User: { ID, ExternalID: `ext-${Math.random()}` } })],
  ['Users_ConfirmIdentity', (UserID) => ({ UserID, Provider: 'sso_01jqz8v7k4e6w9x2m5n3p1r0ab' })],
];

const write = 'iam.platform.users.write';
const member = ['iam.tenant.read', 'iam.users.read', 'iam.groups.read', 'iam.roles.read'];

/** The permissions of a caller's key, and the holders whom the caller may act as. */
const callers: ReadonlyArray<[permissions: string[], holders: string[]]> = [
  [[write], ['nobody']],
  [
    [write, ...member],
    ['nobody', 'member'],
  ],
  [
    [write, 'iam.*'],
    ['nobody', 'member', 'admin', 'owner'],
  ],
  [
    ['iam.*', 'iam.platform.*'],
    ['nobody', 'member', 'admin', 'owner', 'platform-support', 'platform-owner'],
  ],
  [[], ['nobody', 'member', 'admin', 'owner', 'cashier', 'platform-support', 'platform-owner']],
];

describeOne('acting as another user', 'one process', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack(topology);
  });

  /** A user for each kind of right. */
  async function newHolders() {
    const owner = await signUp(stack);
    const Tenant = await tenantFor(stack, owner.id);
    const Role = { Tenant, Slug: 'cashier', Permissions: ['billing.pay'] };
    bodyOf(await stack.call('Roles_Save', { Role }, owner.token));
    const holders = new Map([
      ['nobody', await signUp(stack)],
      ['owner', owner],
    ]);
    for (const name of ['member', 'admin', 'cashier', 'platform-support', 'platform-owner']) {
      const person = await signUp(stack);
      holders.set(name, person);
      const isOnPlatform = name.startsWith('platform-');
      const added = { Tenant, UserID: person.id };
      if (!isOnPlatform) bodyOf(await stack.call('TenantMembers_Add', added, stack.platformKey));
      const place = isOnPlatform ? { Platform: true } : { Tenant };
      const Grant = { ...place, UserID: person.id, Role: name };
      if (name !== 'member') bodyOf(await stack.call('Grants_Add', { Grant }, stack.platformKey));
    }
    return holders;
  }

  test('a caller of the platform acts as users only whose rights it may grant, in every way', async () => {
    const holders = await newHolders();
    const home = await signUp(stack);
    const bot = await createBot(stack, await tenantFor(stack, home.id), home.token);
    const Grant = { Platform: true, Bot: bot.ID, Role: 'platform-owner' };
    bodyOf(await stack.call('BotGrants_Add', { Grant }, stack.platformKey));
    for (const [Permissions, allowed] of callers) {
      const { Secret } = await createKey(stack, bot, stack.platformKey, { Permissions });
      for (const [holder, { id }] of holders)
        for (const [operation, request] of ways) {
          const answer = await stack.call(operation, request(id), Secret);
          const title = `${operation} of ${holder} with ${Permissions.join(' ')}`;
          if (allowed.includes(holder)) assert.notEqual(answer.status, 403, title);
          else {
            assert.equal(answer.body['Reason'], 'MORE_RIGHTS', title);
            assertRefused(answer, 403, 'permission_denied');
          }
        }
    }
    // Other fields of a user give nothing, and neither does the stored ExternalID.
    const { Secret } = await createKey(stack, bot, stack.platformKey, { Permissions: [write] });
    const User = { ID: holders.get('owner')?.id, Name: 'Owner' };
    bodyOf(await stack.call('Users_Update', { User }, Secret));
  });

  test('no right of a tenant, and no reading on the platform, lets a caller act as another user', async () => {
    const holders = await newHolders();
    const all: typeof ways = [
      ...ways,
      ['Support_Start', (UserID) => ({ UserID, Reason: 'Ticket 1' })],
    ];
    for (const [caller, { token }] of holders) {
      if (caller === 'platform-owner') continue;
      for (const [holder, { id }] of holders)
        for (const [operation, request] of all)
          if (holder !== caller)
            assertRefused(
              await stack.call(operation, request(id), token),
              403,
              'permission_denied',
            );
    }
    const operator = holders.get('platform-owner');
    for (const [holder, { id }] of holders)
      if (operator && holder !== 'platform-owner') {
        const request = { UserID: id, Reason: 'Ticket 1' };
        bodyOf(await stack.call('Support_Start', request, operator.token));
      }
  });
});
