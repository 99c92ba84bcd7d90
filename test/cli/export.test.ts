import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { groupSchema, newDirectory } from '../operations/access/scim-calls.ts';
import { bodyOf } from '../support/answers.ts';
import { inDays } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { type Cli, createCli } from './cli.ts';

type Person = Awaited<ReturnType<typeof signUp>>;

describe('bailiwick export', () => {
  let stack: Stack;
  let cli: Cli;
  let owner: Person;
  before(async () => {
    stack = await sharedStack('one process');
    cli = createCli(stack.url, stack.platformKey);
    owner = await signUp(stack);
  });
  after(async () => {
    cli?.remove();
    await stack?.stop();
  });

  const call = async (operation: string, request: object) =>
    bodyOf(await stack.call(operation, request, stack.platformKey));

  /** A tenant with every kind of grant. */
  async function makeTenant(people: readonly Person[]): Promise<string> {
    const [ada, bob, carol, dave] = people.map(({ id }) => id);
    const Tenant = await tenantFor(stack, owner.id, { DefaultRole: 'auditor' });
    for (const UserID of [ada, bob, carol, dave])
      await call('TenantMembers_Add', { Tenant, UserID });
    await call('Roles_Save', {
      Role: { Tenant, Slug: 'editor', Name: 'Editor', Permissions: ['app.reports.*'] },
    });
    for (const Path of ['eng', 'eng/backend'])
      await call('Groups_Save', { Group: { Tenant, Path, Metadata: { floor: '3' } } });
    await call('Groups_AddMember', { Tenant, Group: 'eng/backend', UserID: bob });
    await call('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'editor' } });
    await call('Grants_Add', {
      Grant: { Tenant, UserID: ada, Role: 'editor', Resource: 'report/1', ExpiresAt: inDays(3) },
    });
    // Carol has no role of her own, and Dave is disabled.
    await call('Grants_Remove', { Grant: { Tenant, UserID: carol, Role: 'auditor' } });
    await call('TenantMembers_Disable', { Tenant, UserID: dave });
    const { Bot } = (await call('Bots_Save', { Bot: { Tenant, Name: 'Deploys' } })) as {
      Bot: { ID: string };
    };
    await call('BotGrants_Add', { Grant: { Tenant, Bot: Bot.ID, Role: 'editor' } });
    await call('Webhooks_CreateEndpoint', {
      Endpoint: { Tenant, Name: 'Orders', URL: `${stack.inboxUrl}/hooks/export`, Active: false },
    });
    return Tenant;
  }

  const decisions = async (Tenant: string, people: readonly Person[]) =>
    Promise.all(
      people.flatMap(({ id }) =>
        ['', 'report/1'].map(async (Resource) => {
          const { Permissions } = await call('Access_ListPermissions', {
            Tenant,
            Subject: id,
            ...(Resource && { Resource }),
          });
          return [id, Resource, (Permissions as string[]).toSorted()];
        }),
      ),
    );

  const exported = async (tenant: string) => {
    const run = await cli.run(['export', '--tenant', tenant]);
    assert.equal(run.code, 0, run.stderr);
    return run.stdout;
  };

  test('a tenant that is exported and imported again gives every user the same permissions', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(stack)));
    const [from, to] = [await makeTenant(people), await tenantFor(stack, owner.id)];
    const text = await exported(from);
    assert.doesNotMatch(text, /argon2|bwk|whsec_|SecretEnc/);
    const file = path.join(cli.home, 'tenant.jsonl');
    writeFileSync(file, text);
    const everyone = [owner, ...people];
    const before = await decisions(from, everyone);
    for (const round of ['first', 'repeated']) {
      const run = await cli.run(['import', file, '--from', 'bailiwick', '--tenant', to]);
      assert.equal(run.code, 0, `${round}: ${run.stderr}`);
      assert.match(run.stderr, /5 users were imported with the rest of the tenant, 0 failed/);
      assert.deepEqual(await decisions(to, everyone), before, round);
    }
    // The copy exports the same records, apart from its name and the order of its users.
    const records = (lines: string) => lines.trim().split('\n').slice(1).sort();
    assert.deepEqual(records(await exported(to)), records(text));
  });

  test('bots of one name are made apart, and are not chosen from when they are there', async () => {
    const [from, to] = [await tenantFor(stack, owner.id), await tenantFor(stack, owner.id)];
    for (const Role of ['auditor', 'member']) {
      const { Bot } = (await call('Bots_Save', { Bot: { Tenant: from, Name: 'Twin' } })) as {
        Bot: { ID: string };
      };
      await call('BotGrants_Add', { Grant: { Tenant: from, Bot: Bot.ID, Role } });
    }
    const file = path.join(cli.home, 'twins.jsonl');
    writeFileSync(file, await exported(from));
    const again = () => cli.run(['import', file, '--from', 'bailiwick', '--tenant', to]);
    const rolesIn = async () => {
      const { Page } = (await call('BotGrants_ListByTenant', { Tenant: to })) as {
        Page: { Items: Array<{ Bot: string; Role: string }> };
      };
      return Page.Items.map(({ Bot, Role }) => `${Role} ${Bot}`).sort();
    };
    assert.equal((await again()).code, 0);
    const roles = await rolesIn();
    assert.deepEqual(
      roles.map((role) => role.split(' ')[0]),
      ['auditor', 'member'],
    );
    assert.equal(new Set(roles.map((role) => role.split(' ')[1])).size, 2);
    const second = await again();
    assert.equal(second.code, 1);
    assert.match(second.stderr, /! bot Twin: several bots have this name, so it stays as it is/);
    assert.deepEqual(await rolesIn(), roles);
  });

  test('a tenant with groups of a directory is imported again, and the groups stay as the directory keeps them', async () => {
    const { Tenant: tenant, create, get } = await newDirectory(stack, owner);
    const member = await create('ada');
    const group = { schemas: [groupSchema], displayName: 'Engineering' };
    await get('POST', 'Groups', { ...group, members: [{ value: member.id }] }, 201);
    const file = path.join(cli.home, 'directory.jsonl');
    writeFileSync(file, await exported(tenant));
    const run = await cli.run(['import', file, '--from', 'bailiwick', '--tenant', tenant]);
    assert.equal(run.code, 0, run.stderr);
    assert.match(
      run.stderr,
      /! group Engineering and its members stay as the directory keeps them/,
    );
    assert.match(run.stderr, /2 users were imported with the rest of the tenant, 0 failed/);
    const { Group } = await call('Groups_Get', { Tenant: tenant, Path: 'Engineering' });
    assert.equal((Group as { Source: string }).Source, 'scim');
  });

  test('a tenant of another owner is not exported', async () => {
    const tenant = await tenantFor(stack, owner.id);
    const { token } = await signUp(stack);
    const run = await cli.run(['export', '--tenant', tenant], { env: { BAILIWICK_TOKEN: token } });
    assert.equal(run.code, 1);
    assert.equal(run.stdout, '');
    assert.match(run.stderr, /permission denied/);
  });
});
