import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { tasksMadeHeader } from '@bailiwick/outbox';
import { connect, headers, type JetStreamManager, type NatsConnection } from 'nats';
import { bodyOf } from '../support/answers.ts';
import { deleteStreams } from '../support/broker.ts';
import { describeOne, eventually, type OwnStack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { makeEndpoint, type Owner } from './endpoints.ts';

// The tasks of an application's event are published with it, and by fan-out where that fails.

describeOne('publishing an event with its tasks', 'one process', (topology) => {
  let stack: OwnStack;
  let owner: Owner;
  let connection: NatsConnection;
  let manager: JetStreamManager;
  before(async () => {
    stack = await startStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
    connection = await connect({ servers: stack.wiring.natsUrl });
    manager = await connection.jetstreamManager();
  });
  after(async () => {
    await connection?.close();
    await stack?.stop();
  });

  async function publish(type: string): Promise<string> {
    const event = { Tenant: owner.tenant, Type: type, Body: 'e30=' };
    return String(bodyOf(await stack.call('Events_Publish', event, owner.token))['ID']);
  }
  const caughtIds = async (hook: string) =>
    (await caughtBy(stack, hook)).map(({ Headers }) => String(Headers['webhook-id']));
  /** The messages of the event stream about an event: each id, and whether its tasks are made. */
  async function messagesOf(type: string): Promise<Array<[id: string, isMade: boolean]>> {
    const messages: Array<[string, boolean]> = [];
    const { state } = await manager.streams.info('EVT');
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const { subject, header } = await manager.streams.getMessage('EVT', { seq });
      if (subject === `evt.${owner.tenant}.${type}`)
        messages.push([header.get('Nats-Msg-Id'), header.get(tasksMadeHeader) !== '']);
    }
    return messages;
  }
  /** Waits until fan-out and the workers have handled every message. */
  const waitUntilHandled = () =>
    eventually('all messages', async () => {
      const consumers = [
        await manager.consumers.info('EVT', 'fanout'),
        await manager.consumers.info('TASK', 'lane-webhook'),
      ];
      return consumers.every(
        ({ num_pending, num_ack_pending }) => num_pending + num_ack_pending === 0,
      );
    });
  const disable = async (hook: string, ID: string, type: string) => {
    const record = {
      ID,
      Tenant: owner.tenant,
      Name: hook,
      URL: `${stack.inboxUrl}/hooks/${hook}`,
      EventTypes: [type],
    };
    bodyOf(
      await stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...record, Active: false } },
        owner.token,
      ),
    );
  };
  const isPublished = (id: string) =>
    countOf(stack, 'notifications.outbox where id = $1 and published_at is not null', [id]);
  const storeCopy = async (id: string) => {
    const [row] = await rowsOf<{ event: string; audit: string }>(
      stack,
      'select event, audit from notifications.outbox where id = $1',
      [id],
    );
    const text = `{"event":${JSON.stringify(row?.event)},"audit":${row?.audit}}`;
    const subject = `evt.${owner.tenant}.${(JSON.parse(row?.event ?? '') as { type: string }).type}`;
    return connection.jetstream().publish(subject, text, { msgID: id });
  };

  test('each endpoint gets it once, an inactive one is recorded, and fan-out skips it', async () => {
    const inactive = await makeEndpoint(owner, 'off', { EventTypes: ['a.*'] });
    await disable('off', inactive.id, 'a.*');
    await makeEndpoint(owner, 'one', { EventTypes: ['a.*'] });
    await makeEndpoint(owner, 'two', { EventTypes: [] });
    const id = await publish('a.happened');
    for (const hook of ['one', 'two'])
      await eventually(hook, async () => (await caughtIds(hook)).includes(id));
    await eventually('the row', async () => (await isPublished(id)) === 1);
    assert.deepEqual(await messagesOf('a.happened'), [[`${id}:tasks`, true]]);
    assert.equal(
      await countOf(
        stack,
        "notifications.delivery_attempt where task = $1 and status = 'dropped' and error = 'endpoint_inactive'",
        [`${id}.${inactive.id}`],
      ),
      1,
    );
    // A fan-out that does not know the mark, or a relay that publishes the row from the table, adds
    // no second task.
    await storeCopy(id);
    await waitUntilHandled();
    for (const hook of ['one', 'two'])
      assert.equal((await caughtIds(hook)).filter((one) => one === id).length, 1, hook);
    const entries = `access.audit_entry where tenant = $1 and action = 'a.happened'`;
    await eventually('the entry', async () => (await countOf(stack, entries, [owner.tenant])) > 0);
    assert.equal(await countOf(stack, entries, [owner.tenant]), 1);
  });

  test('an endpoint gets every event that is published after the call that created it, and none after the one that disabled it', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: endpoint } = await makeEndpoint(owner, `new-${round}`, { EventTypes: ['b.*'] });
      const id = await publish('b.happened');
      await eventually('the event', async () => (await caughtIds(`new-${round}`)).includes(id));
      await disable(`new-${round}`, endpoint, 'b.*');
      const later = await publish('b.happened');
      await eventually('the row', async () => (await isPublished(later)) === 1);
      await waitUntilHandled();
      assert.deepEqual(await caughtIds(`new-${round}`), [id]);
    }
  });

  test('an event whose process ended between the event and its tasks is delivered by fan-out', async () => {
    await makeEndpoint(owner, 'killed', { EventTypes: ['c.*'] });
    // A row as it was committed, and the message that its process had published.
    const id = await publish('d.happened');
    await eventually('the row', async () => (await isPublished(id)) === 1);
    const other = id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    const values = [id, other];
    await rowsOf(
      stack,
      `insert into notifications.outbox (id, for_tenant, type, event, audit, tasks, created_at)
       select $2, for_tenant, 'c.happened', replace(replace(event, $1, $2), 'd.happened', 'c.happened'), audit, '[]', now() + interval '1 hour'
       from notifications.outbox where id = $1`,
      values,
    );
    const [row] = await rowsOf<{ event: string; audit: string }>(
      stack,
      'select event, audit from notifications.outbox where id = $1',
      [other],
    );
    const head = headers();
    head.set(tasksMadeHeader, 'true');
    await connection
      .jetstream()
      .publish(
        `evt.${owner.tenant}.c.happened`,
        `{"event":${JSON.stringify(row?.event)},"audit":${row?.audit}}`,
        { msgID: `${other}:tasks`, headers: head },
      );
    await eventually('the event', async () => (await caughtIds('killed')).includes(other));
    await waitUntilHandled();
    assert.deepEqual(await caughtIds('killed'), [other]);
  });

  test('while the task stream is full the event waits, and is delivered once there is room', async () => {
    await makeEndpoint(owner, 'full', { EventTypes: ['e.*'] });
    await waitUntilHandled();
    const { config } = await manager.streams.info('TASK');
    await manager.streams.update('TASK', { max_bytes: 1 });
    const id = await publish('e.happened');
    await eventually('a refused task', async () => (await messagesOf('e.happened')).length === 2);
    await manager.streams.update('TASK', { max_bytes: config.max_bytes });
    await eventually('the event', async () => (await caughtIds('full')).includes(id));
    await waitUntilHandled();
    assert.deepEqual(await messagesOf('e.happened'), [
      [`${id}:tasks`, true],
      [id, false],
    ]);
    assert.deepEqual(await caughtIds('full'), [id]);
  });

  test('an event whose tasks were lost with the task stream is delivered, and none is delivered twice', async () => {
    await makeEndpoint(owner, 'lost', { EventTypes: ['f.*'] });
    const before = await publish('f.happened');
    await eventually('the first', async () => (await caughtIds('lost')).includes(before));
    await waitUntilHandled();
    // The workers stop, so that the task is in the stream when it is lost.
    await manager.consumers.pause('TASK', 'lane-webhook', new Date(Date.now() + 600_000));
    const id = await publish('f.happened');
    await eventually('the row', async () => (await isPublished(id)) === 1);
    assert.deepEqual((await messagesOf('f.happened')).at(-1), [`${id}:tasks`, true]);
    await deleteStreams(stack.wiring.natsUrl, ['TASK']);
    // A new connection looks for losses at once.
    await stack.broker.kill();
    await stack.startBroker();
    await eventually('the event', async () => (await caughtIds('lost')).includes(id));
    await eventually('the row', async () => (await isPublished(id)) === 1);
    await waitUntilHandled();
    assert.deepEqual((await caughtIds('lost')).toSorted(), [before, id].toSorted());
  });
});
