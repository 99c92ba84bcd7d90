import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { rowsOf } from '../../support/store.ts';
import { type Imports, importedPerson, startImports, type Verdict } from './user-import-calls.ts';

// The memberships of an import: who may make them, and whose they may be.

describeOne('memberships of imports', 'one process', (topology) => {
  let suite: Imports;
  before(async () => {
    suite = await startImports(topology);
  });
  after(() => suite?.stop());

  const call = async (operation: string, request: object, token = suite.stack.platformKey) =>
    bodyOf(await suite.stack.call(operation, request, token));
  const importAs = async (token: string, tenant: object) => {
    const rows = [importedPerson({ Tenants: [tenant] })];
    const answer = bodyOf(await suite.send(rows, { OnError: 'continue' }, token));
    const [verdict] = answer['Verdicts'] as Verdict[];
    return [verdict?.Result, verdict?.Code, verdict?.Messages[0] ?? ''];
  };
  const reasonFor = async (token: string, tenant: object) => {
    const rows = [importedPerson({ Tenants: [tenant] })];
    const [verdict] = await suite.verdicts(rows, { OnError: 'continue' }, token);
    return [verdict?.Reason, verdict?.Params, verdict?.Problems];
  };
  const membersOf = async (tenant: string, userId: string) =>
    rowsOf(
      suite.stack,
      'select status from access.tenant_member where tenant = $1 and user_id = $2',
      [tenant, userId],
    );

  test('an importer needs in the tenant what adding members, grants and group members needs', async () => {
    const { stack, owner } = suite;
    const [home, Tenant] = [await tenantFor(stack, owner.id), await tenantFor(stack, owner.id)];
    await call('Groups_Save', { Group: { Tenant, Path: 'eng' } });
    const { Bot } = (await call('Bots_Save', { Bot: { Tenant: home, Name: 'Mover' } })) as {
      Bot: { ID: string };
    };
    await call('BotGrants_Add', { Grant: { Bot: Bot.ID, Role: 'platform-owner', Platform: true } });
    const keyWith = async (...Permissions: string[]) => {
      const all = ['iam.platform.users.write', 'iam.tenant.read', 'iam.users.read'];
      const more = ['iam.groups.read', 'iam.roles.read', ...Permissions];
      const key = { Tenant: home, Bot: Bot.ID, Name: 'mover', Permissions: [...all, ...more] };
      return (await call('BotKeys_Create', key))['Secret'] as string;
    };
    const requires = (permission: string) => [
      'failed',
      'permission_denied',
      `Tenants[0]: this membership requires ${permission} in the tenant, which the caller does not hold`,
    ];
    const created = ['created', '', ''];
    assert.deepEqual(await importAs(await keyWith(), { Tenant }), requires('iam.users.write'));
    const adder = await keyWith('iam.users.write');
    assert.deepEqual(await importAs(adder, { Tenant }), created);
    const withRole = { Tenant, Roles: ['member'] };
    assert.deepEqual(await importAs(adder, withRole), requires('iam.grants.write'));
    const withGroup = { Tenant, Groups: ['eng'] };
    assert.deepEqual(await importAs(adder, withGroup), requires('iam.groups.write'));
    const granter = await keyWith('iam.users.write', 'iam.grants.write', 'iam.groups.write');
    assert.deepEqual(await importAs(granter, { ...withRole, ...withGroup }), created);
    assert.deepEqual(await importAs(granter, { Tenant, Roles: ['admin'] }), [
      'failed',
      'permission_denied',
      'Tenants[0]: this would grant iam.tenant.write, which the caller does not hold',
    ]);
    assert.deepEqual(await reasonFor(granter, { Tenant, Roles: ['admin'] }), [
      'ESCALATION',
      { Permission: 'iam.tenant.write' },
      [],
    ]);
    assert.deepEqual(await reasonFor(granter, { ...withRole, ...withGroup }), ['', {}, []]);
  });

  test('an import makes no owner of a tenant that requires a recent sign-in of its members', async () => {
    const { stack } = suite;
    const operator = await signUp(stack);
    await call('Grants_Add', {
      Grant: { UserID: operator.id, Role: 'platform-owner', Platform: true },
    });
    // Of two tenants, neither is the one that the session is about.
    const Tenant = await tenantFor(stack, operator.id, { RecentLogin: true });
    await tenantFor(stack, operator.id);
    const refused = await importAs(operator.token, { Tenant, Roles: ['owner'] });
    assert.deepEqual(refused.slice(0, 2), ['failed', 'permission_denied']);
    assert.match(`${refused[2]}`, /are added with Grants_Add$/);
    assert.deepEqual(await importAs(operator.token, { Tenant, Roles: ['admin'] }), [
      'created',
      '',
      '',
    ]);
  });

  test('an account whose address is not proven gets no membership by its address', async () => {
    const { stack, owner, verdicts } = suite;
    const tenant = await tenantFor(stack, owner.id);
    const { email, id } = await signUp(stack);
    const prove = (isProven: boolean) =>
      rowsOf(
        stack,
        'update identity.user_account set mailbox_proven = $2 where id = $1 returning id',
        [id, isProven],
      );
    await prove(false);
    const row = { Email: email, EmailVerified: true, Tenants: [{ Tenant: tenant }] };
    const [refused] = await verdicts([row], { OnError: 'continue' });
    assert.deepEqual([refused?.Result, refused?.Code], ['failed', 'failed_precondition']);
    assert.match(refused?.Messages[0] ?? '', /^the address of the account is not proven/);
    assert.deepEqual(await membersOf(tenant, id), []);
    const [plain] = await verdicts([{ Email: email }]);
    assert.equal(plain?.Result, 'existing');
    await prove(true);
    assert.equal((await verdicts([row]))[0]?.Result, 'existing');
    assert.deepEqual(await membersOf(tenant, id), [{ status: 'active' }]);
  });

  test('an unverified address that was imported without an ExternalID can be imported again', async () => {
    const { stack, owner, verdicts } = suite;
    const tenant = await tenantFor(stack, owner.id);
    const row = importedPerson({ ExternalID: '', EmailVerified: false });
    const [first] = await verdicts([row]);
    const [again] = await verdicts([{ ...row, Tenants: [{ Tenant: tenant }] }]);
    assert.deepEqual([first?.Result, again?.Result], ['created', 'existing']);
    assert.deepEqual(await membersOf(tenant, first?.UserID ?? ''), [{ status: 'active' }]);
  });

  test('a user who left a tenant while disabled is not made a member again, and the verdict says so', async () => {
    const { stack, owner, verdicts } = suite;
    const Tenant = await tenantFor(stack, owner.id);
    const { email, id, token } = await signUp(stack);
    await call('TenantMembers_Add', { Tenant, UserID: id });
    await call('TenantMembers_Disable', { Tenant, UserID: id });
    await call('TenantMembers_Remove', { Tenant, UserID: id }, token);
    assert.deepEqual(await membersOf(Tenant, id), [{ status: 'barred' }]);
    const [refused] = await verdicts([{ Email: email, Tenants: [{ Tenant, Roles: ['admin'] }] }]);
    assert.deepEqual([refused?.Result, refused?.Code], ['failed', 'failed_precondition']);
    assert.match(refused?.Messages[0] ?? '', /has left the tenant while disabled/);
    assert.deepEqual(await membersOf(Tenant, id), [{ status: 'barred' }]);
  });
});
