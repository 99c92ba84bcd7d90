import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { appendEntries } from '@bailiwick/access/audit/append.ts';
import { type Entry, entryOf } from '@bailiwick/access/audit/chain.ts';
import { assertRefused, bodyOf } from '../../support/answers.ts';
import { type Chains, dayMs, openChains } from '../../support/audit-chains.ts';
import { createBot, createKey } from '../../support/bots.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { createTenant, login, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { countOf } from '../../support/store.ts';

type Count = { Value: number; HasMore: boolean };
type Day = { Day: string; Count: number };
type Hour = { Start: string; Count: number };
type Counts = {
  Members?: { Active: Count; Disabled: Count };
  Invitations?: Count;
  Groups?: Count;
  Roles?: Count;
  SignIns: Day[];
  Refusals: Day[];
  Trends: Array<{ Kind: string; Days: Day[] }>;
  SignInHours: Hour[];
  RefusalHours: Hour[];
};

const today = () => new Date().toISOString().slice(0, 10);

// The figures of a tenant, which take as long for a large tenant as for a small one.
describeOne('the figures', 'one process', (topology) => {
  let stack: Stack;
  let chains: Chains;
  let owner: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    stack = await sharedStack(topology);
    owner = await signUp(stack);
    chains = openChains(stack, owner.id);
  });
  after(async () => {
    await chains?.close();
    await stack?.stop();
  });

  const countsOf = async (Tenant: string, token: string) =>
    bodyOf(await stack.call('Tenants_GetCounts', { Tenant }, token)) as unknown as Counts;
  const call = async (operation: string, request: object, token = owner.token) =>
    bodyOf(await stack.call(operation, request, token));
  const join = async (Tenant: string) => {
    const member = await signUp(stack);
    // A sign-in counts in the tenants that the member has when the audit stores it.
    const signedIn = `access.audit_entry where action = 'user.signed_in' and actor_id = $1`;
    await eventually(
      'the first sign-in',
      async () => (await countOf(stack, signedIn, [member.id])) > 0,
    );
    await call('TenantMembers_Add', { Tenant, UserID: member.id }, stack.platformKey);
    return member;
  };
  const numberOf = (Value: number) => ({ Value, HasMore: false });
  const sumOf = (counts: ReadonlyArray<{ Count: number }>) =>
    counts.reduce((sum, { Count }) => sum + Count, 0);

  test('Tenants_GetCounts counts members by status, open invitations, groups and roles', async () => {
    const Tenant = await createTenant(stack, owner.token);
    const member = await join(Tenant);
    await join(Tenant);
    await call('TenantMembers_Disable', { Tenant, UserID: member.id });
    await call('TenantInvitations_Create', { Tenant, Email: 'ada@example.com' });
    const { Page: invitations } = (await call('TenantInvitations_List', { Tenant })) as {
      Page: { Items: Array<{ Email: string }> };
    };
    await call('TenantInvitations_Delete', { Tenant, Email: invitations.Items[0]?.Email });
    await call('TenantInvitations_Create', { Tenant, Email: 'bea@example.com' });
    await call('Groups_Save', { Group: { Tenant, Path: 'eng/platform' } });
    const { Page } = (await call('Roles_ListByTenant', { Tenant })) as {
      Page: { Items: unknown[] };
    };
    const { Members, Invitations, Groups, Roles, SignIns } = await countsOf(Tenant, owner.token);
    assert.deepEqual(
      { Members, Invitations, Groups, Roles },
      {
        Members: { Active: numberOf(2), Disabled: numberOf(1) },
        Invitations: numberOf(1),
        Groups: numberOf(1),
        Roles: numberOf(Page.Items.length),
      },
    );
    assert.equal(SignIns.length, 30);
    assert.equal(SignIns.at(-1)?.Day, today());
  });

  test('Tenants_GetCounts leaves out the figures that the caller may not read, and refuses another tenant', async () => {
    const Tenant = await createTenant(stack, owner.token);
    await call('Roles_Save', {
      Role: { Tenant, Slug: 'inviter', Permissions: ['iam.invitations.read'] },
    });
    const member = await signUp(stack);
    const invited = await call('TenantInvitations_Create', {
      Tenant,
      Email: member.email,
      Roles: ['inviter'],
    });
    await call('TenantInvitations_Accept', { Token: invited['Token'] }, member.token);
    const { Trends, ...figures } = await countsOf(Tenant, member.token);
    assert.deepEqual(figures, {
      Invitations: numberOf(0),
      SignIns: [],
      Refusals: [],
      SignInHours: [],
      RefusalHours: [],
    });
    assert.deepEqual(
      Trends.map(({ Kind }) => Kind),
      ['invitations'],
    );
    // A member who may read users sees who there is, and not when they sign in.
    const reader = await join(Tenant);
    const { Members, SignIns, SignInHours } = await countsOf(Tenant, reader.token);
    assert.deepEqual([Members?.Active, SignIns, SignInHours], [numberOf(3), [], []]);
    const stranger = await signUp(stack);
    await createTenant(stack, stranger.token);
    for (const operation of [
      'Tenants_GetCounts',
      'Bots_GetCounts',
      'Webhooks_GetStats',
      'Chat_GetStats',
    ])
      assertRefused(
        await stack.call(operation, { Tenant }, stranger.token),
        403,
        'permission_denied',
      );
    for (const operation of ['Bots_GetCounts', 'Webhooks_GetStats'])
      assertRefused(
        await stack.call(operation, { Tenant }, member.token),
        403,
        'permission_denied',
      );
    assertRefused(await stack.call('Tenants_GetTotals', {}, owner.token), 403, 'permission_denied');
  });

  test('a sign-in counts in each tenant of the member and on the platform, and a denied call in its tenant', async () => {
    const [one, other] = [
      await createTenant(stack, owner.token),
      await createTenant(stack, owner.token),
    ];
    const member = await join(one);
    await call('TenantMembers_Add', { Tenant: other, UserID: member.id }, stack.platformKey);
    await call('TenantMembers_Disable', { Tenant: other, UserID: member.id });
    const totals = async () =>
      ((await call('Tenants_GetTotals', {}, stack.platformKey))['SignIns'] as Day[]).at(-1)
        ?.Count ?? 0;
    const signIns = async (tenant: string) => (await countsOf(tenant, owner.token)).SignIns;
    const before = await totals();
    bodyOf(await login(stack, member.email));
    await eventually('the sign-in', async () => (await signIns(one)).at(-1)?.Count === 1);
    assert.equal(sumOf((await countsOf(one, owner.token)).SignInHours), 1);
    assert.ok((await totals()) > before);
    // A disabled member's sign-in is none of the tenant.
    assert.deepEqual(
      (await signIns(other)).filter(({ Count }) => Count > 0),
      [],
    );
    await stack.call('Groups_Save', { Group: { Tenant: one, Path: 'x' } }, member.token);
    await eventually(
      'the denied call',
      async () => (await countsOf(one, owner.token)).Refusals.at(-1)?.Count === 1,
    );
    const { RefusalHours } = await countsOf(one, owner.token);
    assert.deepEqual([RefusalHours.length, sumOf(RefusalHours)], [24, 1]);
    assert.ok((await countsOf(other, owner.token)).Refusals.every(({ Count }) => Count === 0));
  });

  test('the trends say by how many the records of each kind changed on each day, and no other tenant’s', async () => {
    const [one, other] = [
      await createTenant(stack, owner.token),
      await createTenant(stack, owner.token),
    ];
    const member = await join(one);
    for (const Path of ['a', 'b', 'c']) await call('Groups_Save', { Group: { Tenant: one, Path } });
    await call('Groups_Delete', { Tenant: one, Path: 'c' });
    await call('TenantMembers_Remove', { Tenant: one, UserID: member.id });
    await call('TenantInvitations_Create', { Tenant: one, Email: 'ada@example.com' });
    await createBot(stack, one, owner.token);
    const trendsOf = async (tenant: string) =>
      Object.fromEntries(
        (await countsOf(tenant, owner.token)).Trends.map(({ Kind, Days }) => {
          assert.equal(Days.length, 30);
          assert.equal(Days.at(-1)?.Day, today());
          return [Kind, sumOf(Days)];
        }),
      );
    const none = { members: 1, invitations: 0, groups: 0, roles: 0, bots: 0, apps: 0 };
    await eventually('the bot', async () => (await trendsOf(one))['bots'] === 1);
    assert.deepEqual(await trendsOf(one), { ...none, invitations: 1, groups: 2, bots: 1 });
    await eventually('the owner', async () => (await trendsOf(other))['members'] === 1);
    assert.deepEqual(await trendsOf(other), none);
  });

  test('entries that replicas append at once and again count once, on the day of each', async () => {
    const Tenant = await createTenant(stack, owner.token);
    const other = await createTenant(stack, owner.token);
    const member = await join(Tenant);
    const entry = (tenant: string, age: number, more: object): Entry =>
      entryOf({ ...chains.draft(tenant, new Date(Date.now() - age * dayMs)), ...more });
    const denied = { Result: 'denied', Code: 'permission_denied' };
    const signedIn = { Action: 'user.signed_in', ActorID: member.id };
    const entries = Array.from({ length: 50 }, (_, at) => [
      entry(Tenant, at % 2, denied),
      entry(other, 0, denied),
      entry('', 0, signedIn),
      entry('', 40, signedIn),
    ]).flat();
    // A batch of eight overlaps the next one by four, and each comes twice.
    const batches = Array.from({ length: 50 }, (_, at) => entries.slice(4 * at, 4 * at + 8));
    const append = async (batch: readonly Entry[]): Promise<void> => {
      try {
        await appendEntries(chains.database, batch);
      } catch (error) {
        // The projector appends a batch again that other replicas kept from its chain.
        assert.equal((error as { code?: string }).code, 'unavailable');
        await append(batch);
      }
    };
    await Promise.all([...batches, ...batches].map(append));
    const { SignIns, Refusals } = await countsOf(Tenant, owner.token);
    await chains.prune();
    assert.deepEqual(
      Refusals.slice(-3).map(({ Count }) => Count),
      [0, 25, 25],
    );
    assert.equal(SignIns.at(-1)?.Count, 50);
    assert.equal((await countsOf(other, owner.token)).Refusals.at(-1)?.Count, 50);
  });

  test('Bots_GetCounts counts bots and the valid keys that expire within 30 days', async () => {
    const Tenant = await createTenant(stack, owner.token);
    const bot = await createBot(stack, Tenant, owner.token);
    await createBot(stack, Tenant, owner.token, { Active: false });
    const soon = new Date(Date.now() + 5 * dayMs).toISOString();
    for (const ExpiresAt of [soon, soon, new Date(Date.now() + 40 * dayMs).toISOString()])
      await createKey(stack, bot, owner.token, { ExpiresAt });
    const { Key } = await createKey(stack, bot, owner.token, { ExpiresAt: soon });
    const ended = new Date().toISOString();
    await call('BotKeys_SetExpiration', { Tenant, ID: Key.ID, ExpiresAt: ended });
    assert.deepEqual(await call('Bots_GetCounts', { Tenant }), {
      Active: numberOf(1),
      Inactive: numberOf(1),
      ExpiringKeys: numberOf(2),
    });
  });
});
