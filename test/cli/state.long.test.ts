import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createBot, createKey } from '../support/bots.ts';
import { type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { type Cli, createCli } from './cli.ts';

// A tenant's roles, groups and grants as a file: planned, applied, applied again, and removed.

type Person = Awaited<ReturnType<typeof signUp>>;

describe('bailiwick plan and apply', () => {
  let stack: Stack;
  let owner: Person;
  let cli: Cli;
  before(async () => {
    stack = await sharedStack('one process');
    owner = await signUp(stack);
    cli = createCli(stack.url, owner.token);
  });
  after(async () => {
    cli?.remove();
    await stack?.stop();
  });

  const call = async (operation: string, request: object, token = owner.token) => {
    const { status, body } = await stack.call(operation, request, token);
    assert.equal(status, 200, `${operation}: ${JSON.stringify(body)}`);
    return body;
  };
  const newTenant = async (...members: Person[]) => {
    const tenant = await createTenant(stack, owner.token);
    for (const { id } of members)
      await call('TenantMembers_Add', { Tenant: tenant, UserID: id }, stack.platformKey);
    return tenant;
  };
  const file = (command: 'plan' | 'apply', yaml: string, ...more: string[]) =>
    cli.run([command, '--file', '-', ...more], { input: yaml });
  const isAllowed = async (tenant: string, Subject: string, Permission: string) =>
    (await call('Access_Check', { Tenant: tenant, Subject, Permission }))['Allowed'];

  test('a file is planned, applied, and applied again without a change', async () => {
    const ada = await signUp(stack);
    const tenant = await newTenant(ada);
    const yaml = `
Tenant: ${tenant}
Roles:
  - { Slug: editor, Name: Editor, Permissions: [app.reports.*] }
  - { Slug: viewer, Permissions: [app.reports.read] }
Groups:
  - { Path: eng/backend, Name: Backend, Members: [${ada.email}] }
Grants:
  - { Group: eng/backend, Role: editor }
  - { User: ${ada.email}, Role: viewer, Resource: report/1 }
`;
    const plan = await file('plan', yaml, '--detailed-exitcode');
    assert.equal(plan.code, 3, plan.stderr);
    for (const line of [
      '+ role editor',
      '+ group eng/backend',
      `+ member ${ada.email} of eng/backend`,
      '+ grant of editor to group eng/backend',
    ])
      assert.ok(plan.stdout.split('\n').includes(line), `${line}\n${plan.stdout}`);
    assert.match(plan.stdout, new RegExp(`Gained\n.*\n${ada.email} +app\\.reports\\.\\*\n`));
    assert.equal((await file('plan', yaml)).code, 0);
    assert.equal(
      await isAllowed(tenant, ada.id, 'app.reports.write'),
      false,
      'a plan changes nothing',
    );

    const applied = await file('apply', yaml, '--yes');
    assert.deepEqual(
      [applied.code, applied.stderr.split('\n').at(-2)],
      [0, '6 changes were made'],
      applied.stderr,
    );
    assert.equal(await isAllowed(tenant, ada.id, 'app.reports.write'), true);
    const again = await file('apply', yaml, '--yes');
    assert.deepEqual([again.code, again.stdout.split('\n')[0]], [0, 'nothing to do'], again.stderr);
    assert.equal((await file('plan', yaml, '--detailed-exitcode')).code, 0);
  });

  test('apply reverts manual changes, and only --prune deletes', async () => {
    const [ada, bob] = [await signUp(stack), await signUp(stack)];
    const tenant = await newTenant(ada, bob);
    const yaml = (permission: string) => `
Roles: [{ Slug: editor, Permissions: [${permission}] }]
Groups: [{ Path: eng, Members: [${ada.id}] }]
Grants: [{ Group: eng, Role: editor }]
`;
    const apply = (permission: string, ...more: string[]) =>
      file('apply', yaml(permission), '--tenant', tenant, '--yes', ...more);
    assert.equal((await apply('app.a')).code, 0);
    await call('Roles_Save', { Role: { Tenant: tenant, Slug: 'extra', Permissions: ['app.x'] } });
    await call('Groups_Save', { Group: { Tenant: tenant, Path: 'old' } });
    await call('GroupGrants_Add', { Grant: { Tenant: tenant, Group: 'old', Role: 'extra' } });
    await call('Groups_AddMember', { Tenant: tenant, Group: 'eng', UserID: bob.id });
    await call('Roles_Save', {
      Role: { Tenant: tenant, Slug: 'editor', Permissions: ['app.other'] },
    });

    const changed = await apply('app.a');
    assert.equal(changed.code, 0, changed.stderr);
    assert.match(changed.stdout, /^~ role editor \(Permissions\)\n/);
    assert.match(changed.stdout, /left alone without --prune\n(.*\n)*? {2}role extra\n/);
    assert.equal(await isAllowed(tenant, bob.id, 'app.a'), true);

    const pruned = await apply('app.a', '--prune');
    assert.equal(pruned.code, 0, pruned.stderr);
    assert.equal(await isAllowed(tenant, bob.id, 'app.a'), false);
    assert.equal((await call('Roles_Get', { Tenant: tenant, Slug: 'extra' }))['Role'], null);
    assert.equal((await call('Groups_Get', { Tenant: tenant, Path: 'old' }))['Group'], null);
    assert.equal(await isAllowed(tenant, owner.id, 'iam.roles.write'), true, 'the owner stays');
    assert.match((await apply('app.a', '--prune')).stdout, /^nothing to do/);
  });

  test('a bot names its tenant by ID, and does not prune the grants that it needs to prune', async () => {
    const tenant = await newTenant();
    const { Slug } = (await call('Tenants_Get', { Tenant: tenant }))['Tenant'] as { Slug: string };
    const bot = await createBot(stack, tenant, owner.token);
    await call('BotGrants_Add', { Grant: { Tenant: tenant, Bot: bot.ID, Role: 'admin' } });
    await call('Groups_Save', { Group: { Tenant: tenant, Path: 'old' } });
    const { Secret } = await createKey(stack, bot, owner.token);
    const prune = (name: string, grants: string) =>
      cli.run(['apply', '--file', '-', '--tenant', name, '--prune', '--yes'], {
        input: `{ Groups: [], Grants: [${grants}] }`,
        env: { BAILIWICK_TOKEN: Secret },
      });
    const bySlug = await prune(Slug, '');
    assert.equal(bySlug.code, 1);
    assert.match(bySlug.stderr, /a bot names its tenant by ID/);

    const locked = await prune(tenant, '');
    assert.equal(locked.code, 1, locked.stderr);
    assert.match(locked.stderr, /add your grant to the file.*\n.*nothing was changed/);
    assert.notEqual((await call('Groups_Get', { Tenant: tenant, Path: 'old' }))['Group'], null);
    const named = await prune(tenant, `{ Bot: ${bot.ID}, Role: admin }`);
    assert.equal(named.code, 0, named.stderr);
    assert.equal((await call('Groups_Get', { Tenant: tenant, Path: 'old' }))['Group'], null);
  });

  test('a caller with rights through a group does not prune the membership that it needs to prune', async () => {
    const ada = await signUp(stack);
    const tenant = await newTenant(ada);
    for (const Path of ['admins', 'old'])
      await call('Groups_Save', { Group: { Tenant: tenant, Path } });
    await call('GroupGrants_Add', { Grant: { Tenant: tenant, Group: 'admins', Role: 'admin' } });
    await call('Groups_AddMember', { Tenant: tenant, Group: 'admins', UserID: ada.id });
    const prune = (members: string) =>
      cli.run(['apply', '--file', '-', '--tenant', tenant, '--prune', '--yes'], {
        input: `Groups: [{ Path: Admins, Members: [${members}] }]`,
        env: { BAILIWICK_TOKEN: ada.token },
      });
    const locked = await prune('');
    assert.equal(locked.code, 1, locked.stderr);
    assert.match(locked.stderr, /the group and membership that give it\n.*nothing was changed/);
    const named = await prune(ada.id);
    assert.equal(named.code, 0, named.stderr);
    assert.equal((await call('Groups_Get', { Tenant: tenant, Path: 'old' }))['Group'], null);
  });

  test('the plan reports changes that would be rejected, before it makes any', async () => {
    const tenant = await newTenant();
    const stranger = await signUp(stack);
    const yaml = `
Roles: [{ Slug: fine, Permissions: [app.a] }]
Grants: [{ User: ${stranger.id}, Role: fine }]
`;
    const { code, stderr } = await file('apply', yaml, '--tenant', tenant, '--yes');
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`grant of fine to user ${stranger.id} would be refused: tenant member not found`),
    );
    assert.equal((await call('Roles_Get', { Tenant: tenant, Slug: 'fine' }))['Role'], null);
    assert.equal((await file('plan', yaml, '--tenant', tenant)).code, 1);
  });

  test('a plan is JSON for scripts, and a tenant can be named by its slug', async () => {
    const tenant = await newTenant();
    const { Slug } = (await call('Tenants_Get', { Tenant: tenant }))['Tenant'] as { Slug: string };
    const { code, stdout } = await file(
      'plan',
      `{ Tenant: ${Slug}, Roles: [{ Slug: editor, Permissions: [] }] }`,
      '--json',
    );
    const { Changes, Refused } = JSON.parse(stdout) as { Changes: unknown[]; Refused: unknown[] };
    assert.deepEqual([code, Refused], [0, []]);
    assert.deepEqual(Changes, [
      {
        Operation: 'Roles_Save',
        Request: { Role: { Tenant: tenant, Slug: 'editor', Permissions: [] } },
      },
    ]);
  });

  test('sixty changes are previewed, applied, and applied again without a change', async () => {
    const tenant = await newTenant();
    const yaml = `Roles:\n${Array.from({ length: 60 }, (_, index) => `  - { Slug: role-${index}, Permissions: [app.r${index}] }`).join('\n')}\n`;
    const { code, stderr } = await file('apply', yaml, '--tenant', tenant, '--yes');
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stderr, /for the first/);
    assert.match((await file('apply', yaml, '--tenant', tenant, '--yes')).stdout, /^nothing to do/);
  });

  test('errors: no confirmation possible, unknown users, foreign tenants, invalid files', async () => {
    const tenant = await newTenant();
    const roles = 'Roles: [{ Slug: editor }]';
    const unasked = await file('apply', roles, '--tenant', tenant);
    assert.equal(unasked.code, 2);
    assert.match(unasked.stderr, /--yes/);
    assert.equal((await call('Roles_Get', { Tenant: tenant, Slug: 'editor' }))['Role'], null);

    const unknown = await file(
      'plan',
      'Grants: [{ User: nobody@example.com, Role: member }, { Bot: none, Role: member }]',
      '--tenant',
      tenant,
    );
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /no user nobody@example\.com.*\n.*no bot none/);
    assert.equal((await file('plan', roles)).code, 1);
    assert.equal((await file('plan', roles, '--tenant', 'no-such-slug')).code, 1);
    assert.equal((await file('plan', 'Rolls: []', '--tenant', tenant)).code, 1);
    assert.equal((await cli.run(['plan', '--file', '/nowhere.yaml'])).code, 1);
    assert.equal((await cli.run(['plan'])).code, 2);
    const { token } = await signUp(stack);
    assert.equal(
      (
        await cli.run(['plan', '--file', '-', '--tenant', tenant], {
          input: roles,
          env: { BAILIWICK_TOKEN: token },
        })
      ).code,
      1,
    );
  });
});
