import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bodyOf, retryWhileBusy } from './support/answers.ts';
import { createBot } from './support/bots.ts';
import type { Answer } from './support/harness.ts';
import { type Person, type Stage, startStage } from './support/stage.ts';
import { countOf, eventsOf } from './support/store.ts';

// Concurrent adds through two gateways make one row and one event. After concurrent adds and
// removes, the rows match the events.

const crowd = 200;
const rounds = 3;

/** An add operation, its opposite, and their rows and events. */
type Pair = {
  add: string;
  remove: string;
  request: object;
  rows: string;
  values: readonly string[];
  event: string;
};

/** An add, and an operation that deletes its parent. No row of `orphans` may be left. */
type Ending = { add: [string, object]; end: [string, object]; orphans: string };

describe('concurrent adds between replicas', () => {
  let stage: Stage;
  let owner: Person;
  before(async () => {
    stage = await startStage();
    owner = await stage.newPerson();
  });
  after(() => stage?.stop());

  /** The platform adds members, since members added by the tenant wait for the user's consent. */
  const tokenFor = (operation: string) =>
    operation === 'TenantMembers_Add' ? stage.stack.platformKey : owner.token;
  const call = (gateway: number, operation: string, request: object) =>
    retryWhileBusy(() => stage.via(gateway, operation, request, tokenFor(operation)));
  const must = async (operation: string, request: object) =>
    bodyOf(await call(0, operation, request));

  /** A tenant with a member, a group and a role. */
  async function newTenant() {
    const answer = await stage.via(
      0,
      'Tenants_Create',
      { Tenant: { Name: 'Acme' }, OwnerID: owner.id },
      stage.stack.platformKey,
    );
    const { ID: Tenant } = bodyOf(answer)['Tenant'] as { ID: string };
    const { id: UserID } = await stage.newPerson();
    await must('TenantMembers_Add', { Tenant, UserID });
    await must('Groups_Save', { Group: { Tenant, Path: 'Eng' } });
    await must('Roles_Save', { Role: { Tenant, Slug: 'reader', Permissions: ['app.notes.read'] } });
    return { Tenant, UserID };
  }

  const grantRows = 'access.grant_entry where tenant = $1 and subject = $2 and role = $3';
  const pairs: Record<string, () => Promise<Pair & { tenant: string }>> = {
    async Grants_Add() {
      const { Tenant, UserID } = await newTenant();
      const request = { Grant: { Tenant, UserID, Role: 'reader' } };
      return {
        add: 'Grants_Add',
        remove: 'Grants_Remove',
        request,
        rows: grantRows,
        values: [Tenant, UserID, 'reader'],
        event: 'grant',
        tenant: Tenant,
      };
    },
    async GroupGrants_Add() {
      const { Tenant } = await newTenant();
      const request = { Grant: { Tenant, Group: '/eng', Role: 'reader' } };
      return {
        add: 'GroupGrants_Add',
        remove: 'GroupGrants_Remove',
        request,
        rows: grantRows,
        values: [Tenant, 'eng', 'reader'],
        event: 'group_grant',
        tenant: Tenant,
      };
    },
    async BotGrants_Add() {
      const { Tenant } = await newTenant();
      const { ID: Bot } = await createBot(stage.stack, Tenant, owner.token);
      const request = { Grant: { Tenant, Bot, Role: 'reader' } };
      return {
        add: 'BotGrants_Add',
        remove: 'BotGrants_Remove',
        request,
        rows: grantRows,
        values: [Tenant, Bot, 'reader'],
        event: 'bot_grant',
        tenant: Tenant,
      };
    },
    async Groups_AddMember() {
      const { Tenant, UserID } = await newTenant();
      const request = { Tenant, Group: 'ENG', UserID };
      const rows = 'access.group_member where tenant = $1 and user_id = $2';
      return {
        add: 'Groups_AddMember',
        remove: 'Groups_RemoveMember',
        request,
        rows,
        values: [Tenant, UserID],
        event: 'group.member',
        tenant: Tenant,
      };
    },
    async TenantMembers_Add() {
      const { Tenant } = await newTenant();
      const { id: UserID } = await stage.newPerson();
      const rows = 'access.tenant_member where tenant = $1 and user_id = $2';
      const request = { Tenant, UserID };
      return {
        add: 'TenantMembers_Add',
        remove: 'TenantMembers_Remove',
        request,
        rows,
        values: [Tenant, UserID],
        event: 'tenant.member',
        tenant: Tenant,
      };
    },
  };

  /** The number of added and removed events about the record of this request. */
  async function told({
    event,
    values,
    tenant,
  }: Pair & { tenant: string }): Promise<{ added: number; removed: number }> {
    const [, subject = '', role] = values;
    const isAbout = (record: Record<string, unknown>) =>
      [
        record['UserID'],
        String(record['Group']).replace('/', '').toLowerCase(),
        record['Bot'],
      ].includes(subject) &&
      (role === undefined || record['Role'] === role);
    const types = (await eventsOf(stage.stack, 'access', tenant))
      .filter(({ data }) => isAbout(data))
      .map(({ type }) => type);
    const count = (verb: string) =>
      types.filter(
        (type) => type === (event.endsWith('member') ? `${event}_${verb}` : `${event}.${verb}`),
      ).length;
    return { added: count('added'), removed: count('removed') };
  }

  for (const [name, prepare] of Object.entries(pairs)) {
    test(`${name}, called ${crowd} times at once, makes one row and one event`, async () => {
      const pair = await prepare();
      const answers = await Promise.all(
        Array.from({ length: crowd }, (_, index) => call(index, pair.add, pair.request)),
      );
      for (const answer of answers) assert.deepEqual(bodyOf(answer), {});
      assert.equal(await countOf(stage.stack, pair.rows, pair.values), 1);
      assert.deepEqual(await told(pair), { added: 1, removed: 0 });
    });

    test(`${name} and its opposite, called at once, leave the rows that their events imply`, async () => {
      const pair = await prepare();
      for (let round = 0; round < rounds; round++) {
        // Both operations use both gateways.
        const calls = Array.from({ length: 40 }, (_, index) =>
          call(index >> 1, index % 2 === round % 2 ? pair.add : pair.remove, pair.request),
        );
        for (const answer of await Promise.all(calls)) assert.deepEqual(bodyOf(answer), {});
        const { added, removed } = await told(pair);
        const rows = await countOf(stage.stack, pair.rows, pair.values);
        assert.ok(rows === 0 || rows === 1);
        assert.equal(added - removed, rows, `${added} added and ${removed} removed`);
      }
    });
  }

  const endings: Record<string, () => Promise<Ending>> = {
    async 'Groups_AddMember and TenantMembers_Remove'() {
      const { Tenant, UserID } = await newTenant();
      const orphans = `access.group_member g where g.tenant = '${Tenant}' and not exists (select 1 from access.tenant_member m where m.tenant = g.tenant and m.user_id = g.user_id)`;
      return {
        add: ['Groups_AddMember', { Tenant, Group: 'eng', UserID }],
        end: ['TenantMembers_Remove', { Tenant, UserID }],
        orphans,
      };
    },
    async 'Groups_AddMember and Groups_Delete'() {
      const { Tenant, UserID } = await newTenant();
      const orphans = `access.group_member g where g.tenant = '${Tenant}' and not exists (select 1 from access.group_entry e where e.tenant = g.tenant and e.id = g.group_id)`;
      return {
        add: ['Groups_AddMember', { Tenant, Group: 'eng', UserID }],
        end: ['Groups_Delete', { Tenant, Path: 'eng' }],
        orphans,
      };
    },
    async 'Grants_Add and TenantMembers_Remove'() {
      const { Tenant, UserID } = await newTenant();
      const orphans = `access.grant_entry g where g.tenant = '${Tenant}' and g.subject_type = 'user' and not exists (select 1 from access.tenant_member m where m.tenant = g.tenant and m.user_id = g.subject)`;
      return {
        add: ['Grants_Add', { Grant: { Tenant, UserID, Role: 'reader' } }],
        end: ['TenantMembers_Remove', { Tenant, UserID }],
        orphans,
      };
    },
    async 'GroupGrants_Add and Groups_Delete'() {
      const { Tenant } = await newTenant();
      const orphans = `access.grant_entry g where g.tenant = '${Tenant}' and g.subject_type = 'group' and not exists (select 1 from access.group_entry e where e.tenant = g.tenant and e.key = g.subject)`;
      return {
        add: ['GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'reader' } }],
        end: ['Groups_Delete', { Tenant, Path: 'eng' }],
        orphans,
      };
    },
    async 'Grants_Add and Roles_Delete'() {
      const { Tenant, UserID } = await newTenant();
      const orphans = `access.grant_entry g where g.tenant = '${Tenant}' and g.role = 'reader' and not exists (select 1 from access.role_entry r where r.tenant = g.tenant and r.slug = g.role)`;
      return {
        add: ['Grants_Add', { Grant: { Tenant, UserID, Role: 'reader' } }],
        end: ['Roles_Delete', { Tenant, Slug: 'reader' }],
        orphans,
      };
    },
  };

  /** Succeeded, or was rejected because the other call was first. */
  const isProper = ({ status, body }: Answer) =>
    status === 200 || ['not_found', 'failed_precondition'].includes(body.Code ?? '');

  for (const [name, prepare] of Object.entries(endings)) {
    test(`${name}, called at once, leave no orphaned row`, async () => {
      for (let round = 0; round < rounds; round++) {
        const { add, end, orphans } = await prepare();
        const calls = Array.from({ length: 24 }, (_, index) =>
          call(index, ...(index % 8 === round ? end : add)),
        );
        for (const answer of await Promise.all(calls))
          assert.ok(isProper(answer), JSON.stringify(answer.body));
        assert.equal(await countOf(stage.stack, orphans), 0);
      }
    });
  }

  test('no background call failed in the meantime', (t) =>
    stage.endLoad((line) => t.diagnostic(line)));
});
