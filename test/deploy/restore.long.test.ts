import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ManagedProcess } from '@bailiwick/deploy/local/processes.ts';
import { waitUntilReady } from '@bailiwick/deploy/local/ready.ts';
import { bodyOf } from '../answers.ts';
import { deleteStreams } from '../broker.ts';
import { eventually, type Stack, startProcesses, startStack } from '../harness.ts';
import { caughtBy, createTenant, signUp } from '../people.ts';
import { countOf, rowsOf } from '../store.ts';

// docs/operations.md, "Restore": PostgreSQL is brought back to an earlier moment, and the broker knows of what came after it.

const environment = { BAILIWICK_LIMITS: 'off' };

/** A stack whose processes are stopped and started while its database is copied and replaced. */
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

/** Groups of a tenant, what its endpoint was told of them, and what its audit says. */
async function openTenant(stack: Stack) {
  const owner = await signUp(stack);
  const tenant = await createTenant(stack, owner.token);
  const asOwner = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));
  const endpoint = {
    Tenant: tenant,
    Name: 'told',
    URL: `${stack.inboxUrl}/hooks/told`,
    EventTypes: ['group.*'],
  };
  await asOwner('Webhooks_CreateEndpoint', { Endpoint: endpoint });
  /** The ids under which the endpoint was told of a group. */
  const toldOf = async (group: string) => {
    const caught = await caughtBy(stack, 'told');
    return caught
      .filter(({ Body }) => (JSON.parse(Body) as { data: { Path: string } }).data.Path === group)
      .map(({ Headers }) => Headers['webhook-id']);
  };
  const ofGroup =
    'tenant = $1 and (select id from access.group_entry where tenant = $1 and path = $2) = any (target_ids)';
  return {
    save: (Path: string) => asOwner('Groups_Save', { Group: { Tenant: tenant, Path } }),
    toldOf,
    isTold: (group: string, times = 1) =>
      eventually(`${group} to be told`, async () => (await toldOf(group)).length >= times, 60_000),
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

test('a database that is restored to an earlier moment, with an emptied broker, is whole and tells nobody of anything under another id', async (t) => {
  const { stack, stop, start, backUp, restore } = await startDrill(t);
  const { save, toldOf, isTold, entriesOf, groups, isAuditValid } = await openTenant(stack);
  await save('before');
  await isTold('before');
  // The moment of the backup: a change is there, and nothing that follows from it.
  await stack.stopBroker();
  await save('at');
  await stop();
  await backUp();
  await stack.startBroker();
  await start();
  await save('after');
  await Promise.all([isTold('at'), isTold('after')]);

  await stop();
  await restore();
  await deleteStreams(stack.wiring.natsUrl);
  await start();

  await isTold('at', 2);
  assert.equal(
    new Set(await toldOf('at')).size,
    1,
    'the same webhook-id, so that the receiver can drop it',
  );
  await eventually('the audit', async () => (await entriesOf('at')) === 1);
  assert.equal(await entriesOf('before'), 1);
  assert.equal((await toldOf('before')).length, 1, 'what has an outcome is not sent again');
  assert.deepEqual(await groups(), ['at', 'before']);
  assert.equal(await isAuditValid(), true);
  await save('later');
  await isTold('later');
});
