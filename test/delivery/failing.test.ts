import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { taskHeaders } from '@bailiwick/outbox';
import { connect, headers } from 'nats';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { countOf } from '../support/store.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

// An endpoint that fails for a long time, and its dead letters.

const settings = {
  BAILIWICK_RETRY_SCHEDULE: '0s,1s',
  BAILIWICK_ENDPOINT_PATIENCE: '3s,6s',
  BAILIWICK_BREAKER_PAUSES: '1s,1s',
};

describeOne('failing endpoints', 'one process', (topology) => {
  let stack: Stack;
  let receiver: Receiver;
  let token: string;
  let tenant: string;
  let endpoint: string;
  before(async () => {
    stack = await startStack(topology, settings);
    receiver = await startReceiver();
    ({ token } = await signUp(stack));
    tenant = await createTenant(stack, token);
    receiver.answer('/failing', status(500));
    receiver.answer('/watcher', (_request, response) => response.end());
    await createEndpoint('watcher', ['webhook_endpoint.failing', 'webhook_endpoint.disabled']);
    endpoint = await createEndpoint('failing', ['group.created']);
  });
  after(async () => {
    await stack?.stop();
    await receiver?.stop();
  });

  const call = async (operation: string, request: object, credential = token) => {
    const answer = await stack.call(operation, request, credential);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body;
  };
  async function createEndpoint(name: string, EventTypes: string[]): Promise<string> {
    const body = await call('Webhooks_CreateEndpoint', {
      Endpoint: { Tenant: tenant, Name: name, URL: receiver.url(`/${name}`), EventTypes },
    });
    return (body['Endpoint'] as { ID: string }).ID;
  }
  const saveGroup = (path: string) =>
    call('Groups_Save', { Group: { Tenant: tenant, Path: path } });
  const get = async () =>
    (await call('Webhooks_GetEndpoint', { Tenant: tenant, ID: endpoint }))['Endpoint'] as Record<
      string,
      unknown
    >;
  const dead = () =>
    countOf(stack, `notifications.delivery_waiting where endpoint = $1 and state = 'dead'`, [
      endpoint,
    ]);
  const events = (type: string) =>
    countOf(stack, `notifications.outbox where type = $1 and for_tenant = $2`, [type, tenant]);

  test('a dead letter causes webhook_endpoint.failing, and Webhooks_ReplayFailed repeats all attempts', async () => {
    await saveGroup('one');
    await saveGroup('two');
    await eventually('two dead letters', async () => (await dead()) === 2);
    await eventually('the event', async () => (await events('webhook_endpoint.failing')) >= 1);
    await eventually('the watcher', async () => receiver.at('/watcher').length >= 1);
    assert.deepEqual(
      receiver
        .at('/failing')
        .map(({ attempt }) => attempt)
        .toSorted((a, b) => a - b),
      [1, 1, 2, 2],
    );

    assert.deepEqual(
      await call('Webhooks_ReplayFailed', {
        Tenant: tenant,
        ID: endpoint,
        Until: '2020-01-01T00:00:00Z',
      }),
      { Queued: 0 },
    );
    assert.deepEqual(await call('Webhooks_ReplayFailed', { Tenant: tenant, ID: endpoint }), {
      Queued: 2,
    });
    await eventually('two dead letters again', async () => (await dead()) === 2);
    const attempts = receiver.at('/failing').map(({ attempt }) => attempt);
    assert.deepEqual(
      attempts.slice(4).toSorted((a, b) => a - b),
      [3, 3, 4, 4],
    );
    assert.equal(new Set(receiver.at('/failing').map(({ id }) => id)).size, 2);
  });

  test('an endpoint that fails too long is disabled, and Active set to true clears its health', async () => {
    await eventually(
      'the endpoint to be disabled',
      async () => (await get())['Active'] === false,
      30_000,
    );
    assert.match(String((await get())['DisabledReason']), /all deliveries failed for days/);
    await eventually('the event', async () => (await events('webhook_endpoint.disabled')) === 1);
    const refused = await stack.call(
      'Webhooks_ReplayFailed',
      { Tenant: tenant, ID: endpoint },
      token,
    );
    assert.equal(refused.body.Code, 'failed_precondition');

    receiver.answer('/failing');
    await call('Webhooks_UpdateEndpoint', {
      Endpoint: { ID: endpoint, Name: 'failing', URL: receiver.url('/failing'), Active: true },
    });
    assert.equal((await get())['DisabledReason'], '');
    const before = receiver.at('/failing').length;
    assert.deepEqual(await call('Webhooks_ReplayFailed', { Tenant: tenant, ID: endpoint }), {
      Queued: 2,
    });
    await eventually('both deliveries', async () => receiver.at('/failing').length >= before + 2);
    await eventually(
      'no waiting deliveries',
      async () =>
        (await countOf(stack, 'notifications.delivery_waiting where endpoint = $1', [endpoint])) ===
        0,
    );
    await eventually(
      'the endpoint health to be cleared',
      async () =>
        (await countOf(stack, 'notifications.endpoint_health where endpoint = $1', [endpoint])) ===
        0,
    );
  });

  test('an unreadable task becomes a dead letter after all attempts, and leaves the broker', async () => {
    const connection = await connect({ servers: stack.wiring.natsUrl });
    const stream = connection.jetstream();
    const before = await countOf(stack, `notifications.delivery_waiting where state = 'dead'`);
    const good = {
      [taskHeaders.operation]: 'Webhooks_Deliver',
      [taskHeaders.task]: 'tsk_1',
      [taskHeaders.attempt]: '1',
    };
    const unreadable: ReadonlyArray<[fields: Record<string, string>, body: string]> = [
      [{ ...good, [taskHeaders.operation]: 'Pager_Call' }, '{}'],
      [{ ...good, [taskHeaders.attempt]: 'x' }, '{}'],
      [{ ...good, [taskHeaders.attempt]: '99999999999' }, '{}'],
      [good, '{"Tenant":"\\u0000"}'],
      [{}, '{}'],
      [{ ...good, [taskHeaders.task]: 'tsk_2' }, 'no JSON'],
    ];
    for (const [index, [fields, body]] of unreadable.entries()) {
      const head = headers();
      for (const [name, value] of Object.entries(fields)) head.set(name, value);
      await stream.publish(`task.webhook.${tenant}.${endpoint}`, body, {
        headers: head,
        msgID: `unreadable-${index}`,
      });
    }
    await eventually(
      'six dead letters',
      async () =>
        (await countOf(stack, `notifications.delivery_waiting where state = 'dead'`)) ===
        before + 6,
      30_000,
    );
    await eventually('an empty stream', async () => {
      const { num_pending, num_ack_pending } = await (
        await connection.jetstreamManager()
      ).consumers.info('TASK', 'lane-webhook');
      return num_pending + num_ack_pending === 0;
    });
    await connection.close();
    // The log is written every 10 ms.
    await eventually('the log line', () =>
      Promise.resolve(/cannot be read, dead-lettered/.test(stack.logOf('notifications'))),
    );
    // They are for the operator: tenants cannot list or replay them.
    const listed = await call('Webhooks_ListAttempts', {
      Tenant: tenant,
      Endpoint: endpoint,
      EventType: 'a.b',
    });
    assert.deepEqual(listed['Page'], { Items: [], NextCursor: '' });
  });

  test('Webhooks_ReplayFailed does not find another tenant’s endpoint', async () => {
    const stranger = await signUp(stack);
    const theirs = await createTenant(stack, stranger.token);
    const foreign = await stack.call(
      'Webhooks_ReplayFailed',
      { Tenant: theirs, ID: endpoint },
      stranger.token,
    );
    assert.equal(foreign.body.Code, 'not_found');
    const denied = await stack.call(
      'Webhooks_ReplayFailed',
      { Tenant: tenant, ID: endpoint },
      stranger.token,
    );
    assert.equal(denied.status, 403);
    const backwards = {
      Tenant: tenant,
      ID: endpoint,
      Since: '2026-02-01T00:00:00Z',
      Until: '2026-01-01T00:00:00Z',
    };
    assert.equal(
      (await stack.call('Webhooks_ReplayFailed', backwards, token)).body.Code,
      'invalid_argument',
    );
  });
});
