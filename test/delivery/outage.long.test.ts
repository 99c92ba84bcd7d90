import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { type ServiceName, serviceNames } from '@bailiwick/deploy/local/secrets.ts';
import pg from 'pg';
import { describeBoth, eventually, type Stack, startStack } from '../harness.ts';
import { mailsTo, mailTo, newAddress, register, signUp } from '../people.ts';

describeBoth('outages', (topology) => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(topology, {}, { ownServer: true });
  });
  after(() => stack?.stop());

  async function probe(
    service: ServiceName,
    path: '/startupz' | '/readyz' | '/livez',
  ): Promise<[status: number, text: string]> {
    const { ports } = stack.wiring;
    const response = await fetch(
      `http://${loopback}:${ports[topology === 'one process' ? 'gateway' : service].admin}${path}`,
    );
    return [response.status, await response.text()];
  }
  const readiness = (service: ServiceName) => probe(service, '/readyz');

  test('without the broker changes are accepted and kept, and go out when it returns', async () => {
    const { token } = await signUp(stack);
    await stack.stopBroker();
    const address = newAddress('patient');
    await register(stack, address);
    assert.equal((await stack.call('Account_Get', {}, token)).status, 200);
    // Longer than readiness is remembered.
    await sleep(2500);
    for (const service of serviceNames)
      assert.deepEqual(await readiness(service), [200, 'ok\n'], service);
    assert.deepEqual(await mailsTo(stack, address), []);
    // A process that has never found the broker may have been given a wrong address: it gets no calls.
    stack.kill('access');
    await eventually(
      'a start that waits for the broker',
      async () => (await readiness('access').catch(() => []))[1] === 'the broker is away\n',
    );
    await stack.startBroker();
    await mailTo(stack, address);
    await stack.ready();
  });

  test('without the database calls fail clearly, and work again by themselves when it returns', async () => {
    const { token } = await signUp(stack);
    await stack.stopDatabase();
    const answer = await stack.call('Account_Get', {}, token);
    assert.equal(answer.status, 500);
    assert.equal(answer.body.Code, 'unavailable');
    assert.deepEqual(answer.body.Messages, ['the service is temporarily unavailable']);
    for (const service of serviceNames) {
      // The gateway alone has none, and is ready by itself.
      const wanted = service === 'gateway' && topology === 'five processes' ? 200 : 503;
      await eventually(
        `${service}: ${wanted}`,
        async () => (await readiness(service))[0] === wanted,
      );
      // Nobody begins it again for what is not its fault.
      for (const path of ['/startupz', '/livez'] as const)
        assert.deepEqual(await probe(service, path), [200, 'ok\n'], `${service}: ${path}`);
    }
    await stack.startDatabase();
    await eventually(
      'the service again',
      async () => (await stack.call('Account_Get', {}, token)).status === 200,
      15_000,
    );
    const address = newAddress('afterwards');
    await register(stack, address);
    await mailTo(stack, address);
  });

  test('on a schema that has dropped what its code needs a service starts, and takes no calls until there is one that it knows', async () => {
    const admin = new pg.Client({ connectionString: stack.databaseUrl });
    await admin.connect();
    try {
      await admin.query(
        'update access.schema_window set compatible_from = version + 1, version = version + 1',
      );
      stack.kill('access');
      const refused = [503, 'the schema access cannot be used yet\n'];
      await eventually(
        'a start that waits for its schema',
        async () => (await readiness('access').catch(() => []))[1] === refused[1],
      );
      assert.deepEqual(await probe('access', '/startupz'), refused);
      assert.deepEqual(await probe('access', '/livez'), [200, 'ok\n']);
      // Looked at several times since.
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
