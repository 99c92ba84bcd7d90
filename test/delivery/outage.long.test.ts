import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import { connect } from 'nats';
import pg from 'pg';
import { callOften } from '../support/call-often.ts';
import { describeBoth, eventually, type OwnStack, startStack } from '../support/harness.ts';
import { mailsTo, mailTo, newAddress, register, signUp } from '../support/people.ts';

describeBoth('outages', (topology) => {
  let stack: OwnStack;
  before(async () => {
    stack = await startStack(topology, {}, { ownServer: true });
  });
  after(() => stack?.stop());

  async function probe(
    service: ServiceName,
    path: '/startupz' | '/readyz' | '/servingz' | '/livez',
  ): Promise<[status: number, text: string]> {
    const { ports } = stack.wiring;
    const response = await fetch(
      `http://${loopback}:${ports[topology === 'one process' ? 'gateway' : service].admin}${path}`,
    );
    return [response.status, await response.text()];
  }
  const readiness = (service: ServiceName) => probe(service, '/readyz');

  test('without the broker the reply waits until every cache entry has expired', async () => {
    const { token } = await signUp(stack);
    await stack.call('Account_Get', {}, token);
    await stack.stopBroker();
    try {
      const calls = callOften(() => stack.call('Account_Get', {}, token));
      await sleep(200);
      const began = performance.now();
      assert.equal((await stack.call('Account_Logout', {}, token)).status, 200);
      assert.ok(performance.now() - began < 5000);
      calls.ended();
      await calls.result();
    } finally {
      await stack.startBroker();
      await stack.ready();
    }
  });

  test('without the broker, changes are accepted and stored, and are published when it is back', async () => {
    const { token } = await signUp(stack);
    await stack.stopBroker();
    const address = newAddress('patient');
    await register(stack, address);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
    // Longer than the readiness cache.
    await sleep(2500);
    for (const service of serviceNames)
      assert.deepEqual(await readiness(service), [200, 'ok\n'], service);
    assert.deepEqual(await mailsTo(stack, address), []);
    // A process that has never reached the broker may have a wrong address, so it is not ready.
    stack.kill('access');
    await eventually(
      'the start to wait for the broker',
      async () => (await readiness('access').catch(() => []))[1] === 'the broker is away\n',
    );
    await stack.startBroker();
    await mailTo(stack, address);
    await stack.ready();
  });

  test('while the broker is full, changes wait, every process stays ready and says so, and they are published once it has room', async () => {
    const { token } = await signUp(stack);
    const connection = await connect({ servers: stack.wiring.natsUrl });
    const manager = await connection.jetstreamManager();
    const address = newAddress('waiting');
    const full = [200, 'ok\ndegraded: the storage of the broker is full\n'];
    try {
      await manager.streams.update('TASK', { max_bytes: 1 });
      await register(stack, address);
      await eventually(
        'the refusal',
        async () => (await readiness('identity')).join() === full.join(),
      );
      assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
      assert.deepEqual(await probe('identity', '/servingz'), [200, 'ok\n']);
      const open = await fetch(`${stack.url}/readyz`);
      assert.equal(open.status, 200);
      if (topology === 'one process') assert.equal(await open.text(), full[1]);
      assert.deepEqual(await mailsTo(stack, address), []);
    } finally {
      await manager.streams.update('TASK', { max_bytes: -1 });
      await connection.close();
    }
    await mailTo(stack, address);
    await eventually('no concern', async () => (await readiness('identity'))[1] === 'ok\n');
  });

  test('without the database, calls fail with unavailable, and work again when it is back', async () => {
    const { token } = await signUp(stack);
    await stack.stopDatabase();
    const answer = await stack.call('Account_Get', {}, token);
    assert.equal(answer.status, 500);
    assert.equal(answer.body.Code, 'unavailable');
    assert.deepEqual(answer.body.Messages, ['the service is temporarily unavailable']);
    for (const service of serviceNames) {
      // Only the gateway has no database, so it stays ready.
      const code = service === 'gateway' && topology === 'five processes' ? 200 : 503;
      await eventually(`${service}: ${code}`, async () => (await readiness(service))[0] === code);
      // Liveness stays ok: a restart would not help.
      for (const path of ['/startupz', '/livez'] as const)
        assert.deepEqual(await probe(service, path), [200, 'ok\n'], `${service}: ${path}`);
    }
    await stack.startDatabase();
    await eventually(
      'the service to work again',
      async () => (await stack.call('Account_Get', {}, token)).status === 200,
      15_000,
    );
    const address = newAddress('afterwards');
    await register(stack, address);
    await mailTo(stack, address);
  });

  test('a service on an incompatible newer schema starts, and becomes ready when the schema is compatible', async () => {
    const admin = new pg.Client({ connectionString: stack.databaseUrl });
    await admin.connect();
    try {
      await admin.query(
        'update access.schema_window set compatible_from = version + 1, version = version + 1',
      );
      stack.kill('access');
      const refused = [503, 'the schema access cannot be used yet\n'];
      await eventually(
        'the start to wait for its schema',
        async () => (await readiness('access').catch(() => []))[1] === refused[1],
      );
      assert.deepEqual(await probe('access', '/startupz'), refused);
      assert.deepEqual(await probe('access', '/livez'), [200, 'ok\n']);
      // Enough for several checks of the schema.
      await sleep(1500);
      assert.deepEqual(await readiness('access'), refused);
      await admin.query(
        'update access.schema_window set compatible_from = 1, version = version - 1',
      );
      await stack.ready();
    } finally {
      await admin.end();
    }
  });
});
