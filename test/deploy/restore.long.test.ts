import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ManagedProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import { bodyOf } from '../support/answers.ts';
import { deleteStreams } from '../support/broker.ts';
import { eventually, type Stack, startStack } from '../support/harness.ts';
import { startProcesses } from '../support/own-stack.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';

// docs/operations.md, "Restore a backup": PostgreSQL is restored to an earlier moment, while the
// broker has later messages.

const environment = { BAILIWICK_LIMITS: 'off' };

/** A stack whose processes stop and start while its database is copied and replaced. */
async function startDrill(t: TestContext) {
  const stack = await startStack('one process', environment);
  let running: ManagedProcess[] = [...stack.processes.values()];
  const stop = () => Promise.all(running.map((one) => one.stop()));
  t.after(async () => {
    await stop();
    await stack.stop();
  });
  const server = new URL(stack.databaseUrl);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  const onServer = (statement: string) => rowsOf({ databaseUrl: server.href }, statement);
  return {
    stack,
    stop,
    async start(): Promise<void> {
      const { wiring, folder } = stack;
      running = [
        ...startProcesses({
          topology: 'one process',
          wiring,
          logDir: path.join(folder, 'logs'),
          environment,
        }).values(),
      ];
      const { gateway } = stack.wiring.ports;
      const urls = [gateway.rpc, gateway.admin].map((port) => `http://${loopback}:${port}/readyz`);
      await waitUntilReady(urls, running, AbortSignal.timeout(60_000));
    },
    backUp: () => onServer(`create database ${name}_backup template ${name}`),
    async restore(): Promise<void> {
      await onServer(`drop database ${name} with (force)`);
      await onServer(`alter database ${name}_backup rename to ${name}`);
    },
  };
}

/**
 * Groups of a tenant, the events that its endpoint received about them, and their audit entries.
 */
async function openTenant(stack: Stack) {
  const owner = await signUp(stack);
  const tenant = await createTenant(stack, owner.token);
  const asOwner = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));
  const endpoint = {
    Tenant: tenant,
    Name: 'events',
    URL: `${stack.inboxUrl}/hooks/events`,
    EventTypes: ['group.*'],
  };
  await asOwner('Webhooks_CreateEndpoint', { Endpoint: endpoint });
  /** The ids of the events that the endpoint received about a group. */
  const eventIdsOf = async (group: string) => {
    const caught = await caughtBy(stack, 'events');
    return caught
      .filter(({ Body }) => (JSON.parse(Body) as { data: { Path: string } }).data.Path === group)
      .map(({ Headers }) => Headers['webhook-id']);
  };
  const ofGroup =
    'tenant = $1 and (select id from access.group_entry where tenant = $1 and path = $2) = any (target_ids)';
  return {
    save: (Path: string) => asOwner('Groups_Save', { Group: { Tenant: tenant, Path } }),
    eventIdsOf,
    untilDelivered: (group: string, times = 1) =>
      eventually(
        `the event of ${group}`,
        async () => (await eventIdsOf(group)).length >= times,
        60_000,
      ),
    entriesOf: (group: string) =>
      countOf(stack, `access.audit_entry where ${ofGroup}`, [tenant, group]),
    groups: async () =>
      (
        await rowsOf<{ path: string }>(
          stack,
          'select path from access.group_entry where tenant = $1 order by path',
          [tenant],
        )
      ).map((row) => row.path),
    isAuditValid: async () =>
      bodyOf(await stack.call('Audit_Verify', { Tenant: tenant }, stack.platformKey))['Valid'],
  };
}

test('after a restore to an earlier moment with an emptied broker, all rows are processed and no event is repeated under another id', async (t) => {
  const { stack, stop, start, backUp, restore } = await startDrill(t);
  const { save, eventIdsOf, untilDelivered, entriesOf, groups, isAuditValid } =
    await openTenant(stack);
  await save('before');
  await untilDelivered('before');
  // At the moment of the backup the change exists, but none of its consequences.
  await stack.stopBroker();
  await save('at');
  await stop();
  await backUp();
  await stack.startBroker();
  await start();
  await save('after');
  await Promise.all([untilDelivered('at'), untilDelivered('after')]);

  await stop();
  await restore();
  await deleteStreams(stack.wiring.natsUrl);
  await start();

  await untilDelivered('at', 2);
  assert.equal(
    new Set(await eventIdsOf('at')).size,
    1,
    'the same webhook-id, so that the receiver can drop it',
  );
  await eventually('the audit', async () => (await entriesOf('at')) === 1);
  assert.equal(await entriesOf('before'), 1);
  assert.equal(
    (await eventIdsOf('before')).length,
    1,
    'an event with an outcome is not sent again',
  );
  assert.deepEqual(await groups(), ['at', 'before']);
  assert.equal(await isAuditValid(), true);
  await save('later');
  await untilDelivered('later');
});
