import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connect } from 'nats';
import { bodyOf } from '../support/answers.ts';
import { describeOne, eventually, type OwnStack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { startReceiver } from './chat-endpoints.ts';
import { deliver, makeEndpoint, newestAt, type Owner } from './endpoints.ts';

// Processes cache the endpoints of many deliveries, with their secrets. A change counts with its reply.

describeOne('a busy endpoint', 'five processes', (topology) => {
  let stack: OwnStack;
  let owner: Owner;
  before(async () => {
    stack = await startStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
  });
  after(() => stack?.stop());

  const deliverMany = (id: string) =>
    Promise.all(Array.from({ length: 20 }, (_, n) => deliver(owner, id, `{"n":${n}}`)));
  /** Changes the row past the service, which revokes nothing. */
  const setActive = (id: string, active: boolean) =>
    rowsOf(stack, 'update notifications.webhook_endpoint set active = $2 where id = $1', [
      id,
      active,
    ]);
  /** Whether a process uses values from before a change of the row. */
  async function isCached(id: string): Promise<boolean> {
    await setActive(id, false);
    const { Status } = await deliver(owner, id, '{}');
    await setActive(id, true);
    return Status === 'delivered';
  }
  /** Makes deliveries until the endpoint is cached. */
  const cache = (id: string) =>
    eventually('the cache', async () => {
      await deliverMany(id);
      return isCached(id);
    });
  const call = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));
  const rotate = async (ID: string, GraceSeconds: number) =>
    String(
      (await call('Webhooks_RotateSecret', { Tenant: owner.tenant, ID, GraceSeconds }))['Secret'],
    );
  const update = (ID: string, hook: string, Active: boolean) =>
    call('Webhooks_UpdateEndpoint', {
      Endpoint: {
        ID,
        Tenant: owner.tenant,
        Name: hook,
        URL: `${stack.inboxUrl}/hooks/${hook}`,
        Active,
      },
    });
  /** Which of the secrets have signed the next delivery. */
  async function signersOf(hook: string, id: string, secrets: readonly string[]) {
    await deliver(owner, id, '{"n":1}');
    const newest = await Promise.all(secrets.map((secret) => newestAt(stack, hook, secret)));
    return newest.map(({ StandardWebhooksValid }) => StandardWebhooksValid);
  }

  test('a change past the service counts once a line in the log of revocations says so', async () => {
    const { id } = await makeEndpoint(owner, 'past');
    await cache(id);
    await setActive(id, false);
    const [first] = await deliverMany(id);
    assert.equal(first?.Status, 'delivered');
    await rowsOf(stack, "insert into notifications.revocation (keys) values ('{*}')");
    await eventually('the change', async () =>
      (await deliverMany(id)).every(({ Error }) => Error === 'endpoint_inactive'),
    );
  });

  test('the first delivery after a rotation has the new secret alone', async () => {
    const { id, secret } = await makeEndpoint(owner, 'rotated');
    let former = secret;
    for (let round = 0; round < 5; round++) {
      await cache(id);
      const next = await rotate(id, 0);
      assert.deepEqual(await signersOf('rotated', id, [former, next]), [false, true]);
      former = next;
    }
  });

  test('a previous secret ends in the cache at its time', async () => {
    const { id, secret: previous } = await makeEndpoint(owner, 'grace');
    const next = await rotate(id, 2);
    await cache(id);
    assert.deepEqual(await signersOf('grace', id, [previous, next]), [true, true]);
    await eventually('the end', async () => {
      await cache(id);
      return !(await signersOf('grace', id, [previous]))[0];
    });
    assert.deepEqual(await signersOf('grace', id, [previous, next]), [false, true]);
  });

  test('a task of the queue that follows a rotation has the new secret alone', async () => {
    const { id, secret: former } = await makeEndpoint(owner, 'queued', { EventTypes: ['queue.*'] });
    const publish = async () =>
      String(
        (await call('Events_Publish', { Tenant: owner.tenant, Type: 'queue.sent', Body: 'e30=' }))[
          'ID'
        ],
      );
    const isSigned = (event: string, secret: string) =>
      eventually(`the task of ${event}`, async () =>
        (await caughtBy(stack, 'queued', secret))
          .filter(({ Headers }) => Headers['webhook-id'] === event)
          .map(({ StandardWebhooksValid }) => ({ isValid: StandardWebhooksValid }))
          .at(0),
      ).then(({ isValid }) => isValid);
    await cache(id);
    assert.equal(await isSigned(await publish(), former), true);
    await cache(id);
    const next = await rotate(id, 0);
    const event = await publish();
    assert.deepEqual([await isSigned(event, former), await isSigned(event, next)], [false, true]);
  });

  test('the first delivery after an update goes to the new URL, or nowhere', async () => {
    const { id } = await makeEndpoint(owner, 'here');
    for (let round = 0; round < 3; round++) {
      await cache(id);
      await update(id, `there-${round}`, true);
      await deliver(owner, id, '{}');
      assert.equal((await caughtBy(stack, `there-${round}`)).length, 1);
    }
    await cache(id);
    await update(id, 'there-2', false);
    assert.equal((await deliver(owner, id, '{}')).Error, 'endpoint_inactive');
    await update(id, 'there-2', true);
    assert.equal((await deliver(owner, id, '{}')).Status, 'delivered');
  });

  test('no delivery is made after a deletion', async () => {
    const { id } = await makeEndpoint(owner, 'deleted');
    await cache(id);
    await call('Webhooks_DeleteEndpoint', { Tenant: owner.tenant, ID: id });
    assert.equal((await deliver(owner, id, '{}')).Error, 'endpoint_not_found');
  });

  test('an endpoint whose receiver is gone gets no more deliveries within seconds', async () => {
    let status = 204;
    const receiver = await startReceiver((response) => response.writeHead(status).end());
    try {
      const { id } = await makeEndpoint(owner, 'gone', { URL: receiver.url });
      await cache(id);
      status = 410;
      assert.equal((await deliver(owner, id, '{}')).StatusCode, 410);
      await eventually('the end', async () =>
        (await deliverMany(id)).every(({ Error }) => Error === 'endpoint_inactive'),
      );
    } finally {
      receiver.stop();
    }
  });

  test('no revocation waits for a process that has been stopped', async () => {
    const { id } = await makeEndpoint(owner, 'stopped');
    const connection = await connect({ servers: stack.wiring.natsUrl });
    try {
      const endedHolders = new Set<string>();
      const isEnded = async () =>
        (
          await rowsOf<{ id: string }>(stack, 'select id from notifications.revocation_holder')
        ).some(({ id: holder }) => endedHolders.has(holder));
      connection.subscribe('bailiwick.lease', {
        callback(_, message) {
          const { holder, ends } = message.json<{ holder: string; ends: boolean }>();
          if (ends) endedHolders.add(holder);
        },
      });
      await connection.flush();
      await cache(id);
      assert.equal(await isEnded(), false);
      stack.kill('notifications', 'SIGTERM');
      await eventually('the end of the lease', isEnded, 20_000);
    } finally {
      await connection.close();
    }
  });
});
