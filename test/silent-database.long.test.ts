import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { bodyOf } from './support/answers.ts';
import { startCable } from './support/cable.ts';
import { createTestDatabase, type TestDatabase } from './support/database.ts';
import { describeBoth, eventually, type Stack, startStack } from './support/harness.ts';
import { password, signUp, tenantFor } from './support/people.ts';

// A database that accepts connections and does not answer, as on a hanging machine or behind a
// network that drops packets.

/** The gateway has the longest deadline of a call: 20 s. */
const answeredMs = 25_000;
const noticedMs = 10_000;
/** Below the timeout of the chart's probes. */
const probeMs = 5000;

describeBoth('a silent database', (topology) => {
  let database: TestDatabase;
  let cable: Awaited<ReturnType<typeof startCable>>;
  let stack: Stack;
  before(async () => {
    database = await createTestDatabase();
    cable = await startCable(database.url);
    const urls = ['IDENTITY', 'ACCESS', 'SSO', 'NOTIFICATIONS'].map((service) => [
      `BAILIWICK_${service}_DATABASE_URL`,
      cable.url,
    ]);
    stack = await startStack(topology, Object.fromEntries(urls), { database });
  });
  after(async () => {
    cable?.goOn();
    await stack?.stop();
    cable?.close();
  });

  /** The readiness URLs of the processes with a database. One process has only the gateway's. */
  function probes(): string[] {
    const { ports } = stack.wiring;
    if (topology === 'one process') return [ports.gateway.rpc, ports.gateway.admin].map(String);
    return serviceNames
      .filter((name) => name !== 'gateway')
      .map((name) => String(ports[name].admin));
  }

  async function probe(port: string): Promise<{ status: number; ms: number }> {
    const began = performance.now();
    const { status } = await fetch(`http://${loopback}:${port}/readyz`);
    return { status, ms: performance.now() - began };
  }

  const isEach = async (status: number) =>
    (await Promise.all(probes().map(probe))).every((answer) => answer.status === status);

  test('calls fail with unavailable by their deadline, /readyz fails within 10 s, and both recover', async (t) => {
    const { id, email, token } = await signUp(stack);
    const Tenant = await tenantFor(stack, id);
    const save = (Path: string) => stack.call('Groups_Save', { Group: { Tenant, Path } }, token);
    const login = () => stack.call('Account_Login', { Email: email, Password: password });
    bodyOf(await save('before'));
    assert.ok(await isEach(200));

    cable.hold();
    const began = performance.now();
    const timed = async (call: Promise<{ status: number; body: { Code?: string } }>) => {
      const { status, body } = await call;
      return { status, code: body.Code, ms: Math.round(performance.now() - began) };
    };
    const calls = Promise.all(
      [save('meanwhile'), save('meanwhile'), login(), stack.call('Account_Get', {}, token)].map(
        timed,
      ),
    );
    await eventually('every probe to notice', () => isEach(503), noticedMs);
    t.diagnostic(`noticed after ${Math.round(performance.now() - began)} ms`);
    // 100 probes at once, as from several load balancers, are answered in time too.
    for (const { ms } of await Promise.all(
      Array.from({ length: 100 }, (_, index) => probe(probes()[index % probes().length] ?? '')),
    ))
      assert.ok(ms < probeMs);
    const answers = await calls;
    t.diagnostic(JSON.stringify(answers));
    for (const { status, code, ms } of answers) {
      assert.deepEqual([status, code], [500, 'unavailable']);
      assert.ok(ms < answeredMs);
    }

    cable.goOn();
    await eventually('every probe to recover', () => isEach(200), noticedMs);
    bodyOf(await save('afterwards'));
    bodyOf(await login());
  });

  test('connections that went silent are replaced', async () => {
    // Each call has its own user. Changes of one user would run one after the other.
    const people = await Promise.all(Array.from({ length: 12 }, () => signUp(stack)));
    const update = ({ token }: { token: string }) =>
      stack.call('Account_Update', { User: { Name: 'Ada' } }, token);
    cable.hold();
    const lost = people.map(update);
    await sleep(500);
    // Open connections lose all data and stay open. New connections work.
    cable.lose();
    for (const { status, body } of await Promise.all(lost))
      assert.deepEqual([status, body.Code], [500, 'unavailable']);
    await eventually(
      'an answered call',
      async () => (await update(people[0] ?? assert.fail())).status === 200,
      noticedMs,
    );
  });
});
