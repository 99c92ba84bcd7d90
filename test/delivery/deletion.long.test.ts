import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { eventually, type OwnStack, startStack } from '../support/harness.ts';
import { caughtBy, newAddress, signUp, tenantFor } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { emitBotEvent } from './bot-events.ts';

// A deletion reaches every service, also one that is killed in the meantime.

const schemas = ['identity', 'access', 'sso', 'notifications'];
/**
 * Tables that keep ids of deleted records: the outbox, the audit trail, the subject state, which stops
 * late events from restoring a deleted subject, and for ten minutes the log of revocations.
 */
const retainingTables = ['outbox', 'audit_entry', 'audit_head', 'subject_state', 'revocation'];
const graceSeconds = 3;

describe('deletions reach every service', () => {
  let stack: OwnStack;
  let ada: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    stack = await startStack('five processes', {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_TENANT_GRACE_SECONDS: `${graceSeconds}`,
    });
    ada = await signUp(stack);
  });
  after(() => stack?.stop());

  const platform = (operation: string, body: object) =>
    stack.call(operation, body, stack.platformKey);
  const asAda = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, ada.token));

  /** The tables with a row that contains this text, without the retaining tables. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await rowsOf<{ schema: string; name: string }>(
      stack,
      'select schemaname as schema, tablename as name from pg_tables where schemaname = any ($1) and not tablename = any ($2)',
      [schemas, retainingTables],
    );
    const counts = await Promise.all(
      tables.map(({ schema, name }) =>
        countOf(stack, `${schema}.${name} t where strpos(t::text, $1) > 0`, [text]),
      ),
    );
    return tables
      .filter((_, index) => counts[index] !== 0)
      .map(({ schema, name }) => `${schema}.${name}`);
  }

  async function assertGone(what: string, id: string): Promise<void> {
    let left: string[] = [];
    const isDeleted = async () => (left = await tablesWith(id)).length === 0;
    await eventually(`${what} to be gone`, isDeleted, 100_000).catch((error: unknown) =>
      assert.fail(`${String(error)}: ${left.join()}`),
    );
  }

  async function newTenant(): Promise<string> {
    return tenantFor(stack, ada.id);
  }

  /** A signed-in user with groups and grants in two tenants and a grant on the platform. */
  async function busyPerson(): Promise<{ id: string; token: string; tenants: string[] }> {
    const dan = await signUp(stack);
    const tenants = [await newTenant(), await newTenant()];
    for (const Tenant of tenants) {
      bodyOf(await platform('TenantMembers_Add', { Tenant, UserID: dan.id }));
      await asAda('Groups_Save', { Group: { Tenant, Path: 'eng' } });
      await asAda('Groups_AddMember', { Tenant, Group: 'eng', UserID: dan.id });
      await asAda('Grants_Add', {
        Grant: { Tenant, UserID: dan.id, Role: 'auditor', Resource: 'doc-1' },
      });
    }
    await asAda('TenantMembers_Add', { Tenant: await newTenant(), UserID: dan.id });
    bodyOf(
      await platform('Grants_Add', {
        Grant: { Platform: true, UserID: dan.id, Role: 'platform-support' },
      }),
    );
    bodyOf(await stack.call('Account_RequestPasswordReset', { Email: dan.email }));
    return { ...dan, tenants };
  }

  /** Waits until a killed service runs and answers again. */
  async function restarted(service: 'access' | 'identity' | 'notifications'): Promise<void> {
    await eventually(`${service} to run`, async () => stack.isRunning(service));
    await stack.ready();
  }

  test('Users_Delete removes every record of the user, and its tenants get the events', async () => {
    const dan = await busyPerson();
    const [tenant = ''] = dan.tenants;
    await asAda('Webhooks_CreateEndpoint', {
      Endpoint: {
        Tenant: tenant,
        Name: 'a',
        URL: `${stack.inboxUrl}/hooks/left`,
        EventTypes: ['user.*', 'tenant.*'],
      },
    });
    bodyOf(await stack.call('Users_Delete', { UserID: dan.id }, dan.token));
    await assertGone('the user', dan.id);
    const dataOf = ['tenant.member_removed', 'user.deleted'];
    await eventually('both events', async () => {
      const types = (await caughtBy(stack, 'left')).map(
        ({ Body }) => (JSON.parse(Body) as { type: string }).type,
      );
      return dataOf.every((type) => types.includes(type));
    });
    // The actor of these events is the caller of Users_Delete.
    const actors = await rowsOf(
      stack,
      `select event::jsonb->'actor'->>'id' as id from access.outbox where type = $1 and for_tenant = any ($2)`,
      ['tenant.member_removed', dan.tenants],
    );
    assert.deepEqual(actors, [{ id: dan.id }, { id: dan.id }]);
  });

  test('Users_Delete reaches access, even if access is killed right after the answer or before the event', async () => {
    for (const pause of [0, 30]) {
      const dan = await busyPerson();
      const deleted = stack.call('Users_Delete', { UserID: dan.id }, stack.platformKey);
      if (pause > 0) await sleep(pause);
      else bodyOf(await deleted);
      stack.kill('access');
      // The kill may have failed the call. It then changed nothing and is repeated.
      const { status } = await deleted;
      await restarted('access');
      if (status !== 200) bodyOf(await platform('Users_Delete', { UserID: dan.id }));
      await assertGone('the user', dan.id);
    }
  });

  test('access removes the records of a deleted user without an event', async () => {
    const tenant = await newTenant();
    const id = createId('usr');
    await rowsOf(
      stack,
      `insert into access.tenant_member (tenant, user_id, status, source, joined_at) values ($1, $2, 'active', 'admin', now())`,
      [tenant, id],
    );
    await rowsOf(
      stack,
      `insert into access.subject_state (subject, state, since, changed_at) values ($1, 'deleted', now(), now())`,
      [id],
    );
    await assertGone('the user', id);
  });

  const emit = (type: string, tenant: string, record: object) =>
    emitBotEvent(stack, ada.id, { type, tenant, data: record });

  test('a disabled bot loses its access and a deleted one its records, even after an invalid or late event', async () => {
    const tenant = await newTenant();
    const bot = createId('bot');
    for (const scope of [tenant, ''])
      await rowsOf(
        stack,
        `insert into access.grant_entry (tenant, id, subject_type, subject, role, resource, created_by, created_at) values ($1, $2, 'bot', $3, 'auditor', '', '', now())`,
        [scope, createId('bgr'), bot],
      );
    const allowed = async () =>
      (
        await asAda('Access_Check', { Tenant: tenant, Subject: bot, Permission: 'iam.groups.read' })
      )['Allowed'];
    const dataOf = (UpdatedAt: number, Active: boolean) => ({
      ID: bot,
      Tenant: tenant,
      Active,
      UpdatedAt: new Date(UpdatedAt).toISOString(),
    });
    const now = Date.now();
    // An invalid event comes first. It must not block the others.
    await emit('bot.updated', tenant, {
      ID: createId('bot'),
      Active: false,
      UpdatedAt: 'at no time',
    });
    assert.equal(await allowed(), true);
    await emit('bot.updated', tenant, dataOf(now, false));
    await eventually('the bot to be disabled', async () => (await allowed()) === false);
    await emit('bot.updated', tenant, dataOf(now + 10, true));
    await eventually('the bot to be enabled', async () => (await allowed()) === true);
    // An older event arrives late.
    await emit('bot.updated', tenant, dataOf(now + 5, false));
    await eventually(
      'the relay',
      async () => (await countOf(stack, 'identity.outbox where published_at is null')) === 0,
    );
    await sleep(500);
    assert.equal(await allowed(), true);
    stack.kill('access');
    await emit('bot.deleted', tenant, dataOf(now + 20, true));
    await restarted('access');
    await assertGone('the bot', bot);
    assert.equal(await allowed(), false);
  });

  test('deleting a group removes its members and grants', async () => {
    const tenant = await newTenant();
    await asAda('Groups_Save', { Group: { Tenant: tenant, Path: 'eng/short-lived' } });
    await asAda('Groups_AddMember', { Tenant: tenant, Group: 'eng/short-lived', UserID: ada.id });
    await asAda('GroupGrants_Add', {
      Grant: { Tenant: tenant, Group: 'eng/short-lived', Role: 'auditor' },
    });
    const [group] = await rowsOf<{ id: string }>(
      stack,
      'select id from access.group_entry where tenant = $1',
      [tenant],
    );
    await asAda('Groups_Delete', { Tenant: tenant, Path: 'eng/short-lived' });
    assert.deepEqual(await tablesWith('eng/short-lived'), []);
    assert.deepEqual(await tablesWith(group?.id ?? 'none'), []);
  });

  /** A tenant with rows in every table, also waiting webhook and chat deliveries. */
  async function fullTenant(): Promise<string> {
    const Tenant = await newTenant();
    const carol = recordIn(
      await platform('Users_Create', { User: { Email: newAddress() } }),
      'User',
    ) as { ID: string };
    const path = `/hooks/down?status=503`;
    await asAda('Webhooks_CreateEndpoint', {
      Endpoint: { Tenant, Name: 'a', URL: `${stack.inboxUrl}${path}`, EventTypes: ['group.*'] },
    });
    await asAda('Chat_CreateEndpoint', {
      Endpoint: { Tenant, Name: 'a', EventTypes: ['group.*'] },
      URL: `${stack.inboxUrl}${path}`,
    });
    await asAda('Apps_Save', { App: { Tenant, Kind: 'service', Name: 'a' } });
    await asAda('Roles_Save', {
      Role: { Tenant, Slug: 'editor', Name: 'Editor', Permissions: ['app.docs.*'] },
    });
    bodyOf(await platform('TenantMembers_Add', { Tenant, UserID: carol.ID }));
    const pending = recordIn(
      await platform('Users_Create', { User: { Email: newAddress() } }),
      'User',
    ) as { ID: string };
    await asAda('TenantMembers_Add', { Tenant, UserID: pending.ID });
    await asAda('Groups_Save', { Group: { Tenant, Path: 'eng' } });
    await asAda('Groups_AddMember', { Tenant, Group: 'eng', UserID: carol.ID });
    await asAda('GroupGrants_Add', { Grant: { Tenant, Group: 'eng', Role: 'editor' } });
    await eventually(
      'the waiting deliveries',
      async () =>
        (await countOf(stack, 'notifications.delivery_waiting where tenant = $1', [Tenant])) >= 4,
    );
    assert.ok((await countOf(stack, 'notifications.dek where tenant = $1', [Tenant])) > 0);
    return Tenant;
  }

  /** The audit may add a count of the day's denials in the meantime. */
  async function assertKept(tenant: string, before: readonly string[]) {
    const tables = await tablesWith(tenant);
    const removed = before.filter((table) => !tables.includes(table));
    assert.deepEqual(removed, [], 'no row is removed in the grace period');
  }

  test('Tenants_Delete removes all rows and data keys after the grace period, but not the audit trail', async () => {
    const tenant = await fullTenant();
    const before = await tablesWith(tenant);
    assert.ok(
      before.some((table) => table.includes('chat_endpoint')),
      before.join(),
    );
    await asAda('Tenants_Delete', { Tenant: tenant });
    assertRefused(
      await stack.call('Groups_List', { Tenant: tenant }, ada.token),
      403,
      'permission_denied',
    );
    await assertKept(tenant, before);
    await assertGone('the tenant', tenant);
    assertRefused(await platform('Tenants_Restore', { Tenant: tenant }), 400, 'not_found');
    assert.ok((await countOf(stack, 'access.audit_entry where tenant = $1', [tenant])) > 10);
    await sleep(1000);
    assert.deepEqual(await tablesWith(tenant), []);
  });

  test('Tenants_Delete reaches services that are killed in the meantime', async () => {
    const tenants = [await fullTenant(), await fullTenant()];
    for (const [index, service] of (['access', 'notifications'] as const).entries()) {
      await asAda('Tenants_Delete', { Tenant: tenants[index] });
      stack.kill(service);
      await restarted(service);
    }
    // Another kill at about the end of the grace period.
    await sleep(500);
    for (const service of ['access', 'notifications', 'identity'] as const) {
      stack.kill(service);
      await restarted(service);
    }
    for (const tenant of tenants) await assertGone('the tenant', tenant);
  });

  test('Tenants_Restore in the grace period keeps all rows', async () => {
    const tenant = await fullTenant();
    const before = await tablesWith(tenant);
    await asAda('Tenants_Delete', { Tenant: tenant });
    bodyOf(await platform('Tenants_Restore', { Tenant: tenant }));
    await sleep((graceSeconds + 2) * 1000);
    await assertKept(tenant, before);
    await asAda('Groups_List', { Tenant: tenant });
  });
});
