import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { type ProxyServer, startProxy } from '../egress/proxy-server.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { type Caught, caughtBy, createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';

describeOne('deliveries through an egress proxy', 'one process', (topology) => {
  let stack: Stack;
  let proxy: ProxyServer;
  let token: string;
  let Tenant: string;
  before(async () => {
    proxy = await startProxy();
    // The schedule has one attempt. A failure of the proxy that counted would leave a dead letter.
    stack = await startStack(topology, {
      BAILIWICK_EGRESS_PROXY_URL: proxy.url,
      BAILIWICK_RETRY_SCHEDULE: '0s',
    });
    ({ token } = await signUp(stack));
    Tenant = await createTenant(stack, token);
  });
  after(async () => {
    await stack?.stop();
    await proxy?.stop();
  });

  const createEndpoint = async (hook: string): Promise<{ id: string; secret: string }> => {
    const Endpoint = {
      Tenant,
      Name: hook,
      URL: `${stack.inboxUrl}/hooks/${hook}`,
      EventTypes: ['group.created'],
    };
    const { body } = await stack.call('Webhooks_CreateEndpoint', { Endpoint }, token);
    return { id: (body['Endpoint'] as { ID: string }).ID, secret: String(body['Secret']) };
  };
  const saveGroup = async (Path: string) =>
    assert.equal((await stack.call('Groups_Save', { Group: { Tenant, Path } }, token)).status, 200);
  const attemptsAt = (endpoint: string) =>
    rowsOf<{ attempt: number; status: string }>(
      stack,
      'select attempt, status from notifications.delivery_attempt where endpoint = $1',
      [endpoint],
    );

  test('a signed event arrives through a proxy tunnel to the receiver’s address', async () => {
    const { id, secret } = await createEndpoint('tunnelled');
    await saveGroup('tunnelled');
    const request = await eventually<Caught>(
      'the event',
      async () => (await caughtBy(stack, 'tunnelled', secret))[0],
    );
    assert.ok(request.SignatureValid && request.StandardWebhooksValid);
    assert.deepEqual([...new Set(proxy.asked)], [new URL(stack.inboxUrl).host]);
    await eventually('its attempt', async () => (await attemptsAt(id))[0]?.status === 'delivered');
  });

  test('a failing proxy costs no attempt: the delivery arrives at the first attempt when the proxy works again', async () => {
    const { id } = await createEndpoint('held-up');
    // Open tunnels stay in use, so this receiver has another address.
    proxy.refuse = () => 502;
    await rowsOf(stack, 'update notifications.webhook_endpoint set url = $1 where id = $2', [
      `http://localhost:${new URL(stack.inboxUrl).port}/hooks/held-up`,
      id,
    ]);
    const before = proxy.asked.length;
    await saveGroup('held-up');
    await eventually('three refusals', () => Promise.resolve(proxy.asked.length >= before + 3));
    assert.deepEqual(await attemptsAt(id), []);
    proxy.refuse = () => undefined;
    await eventually('the event', async () => (await caughtBy(stack, 'held-up'))[0], 40_000);
    const attempts = await eventually('its attempt', async () => {
      const list = await attemptsAt(id);
      return list.length > 0 && list;
    });
    assert.deepEqual(attempts, [{ attempt: 1, status: 'delivered' }]);
  });

  test("the proxy's password is in no log", () => {
    const log = stack.logOf('notifications');
    assert.match(log, /the egress proxy answered 502/);
    assert.doesNotMatch(log, /hunter2|egress:/);
    assert.ok(!log.includes(Buffer.from('egress:hunter2%').toString('base64')));
  });
});
