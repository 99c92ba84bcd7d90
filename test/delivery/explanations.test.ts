// 45 s: 20 messages wait for a limit of one a second.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { createExplanationCalls } from './explanation-calls.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

// Webhooks_ExplainDelivery: why an event did or did not arrive.

const settings = { BAILIWICK_RETRY_SCHEDULE: '0s,1h,1h', BAILIWICK_BREAKER_PAUSES: '1h,1h' };

describeOne('explanations of deliveries', 'one process', (topology) => {
  let stack: Stack;
  let receiver: Receiver;
  before(async () => {
    stack = await startStack(topology, settings);
    receiver = await startReceiver();
  });
  after(async () => {
    await stack?.stop();
    await receiver?.stop();
  });

  const { newOwner, publish, ask, explain, explained, at } = createExplanationCalls(() => ({
    stack,
    receiver,
  }));

  test('Webhooks_ExplainDelivery says for each endpoint whether it gets the event, and why not', async () => {
    const owner = await newOwner();
    receiver.answer('/bad', status(503));
    const good = await at(owner, 'good');
    const bad = await at(owner, 'bad');
    const other = await at(owner, 'other', { EventTypes: ['report.read'] });
    const off = await at(owner, 'off');
    const late = await at(owner, 'late');
    const Endpoint = { ID: off.id, Tenant: owner.tenant, Name: 'off', URL: receiver.url('/off') };
    bodyOf(
      await stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...Endpoint, Active: false } },
        owner.token,
      ),
    );
    await rowsOf(
      stack,
      `update notifications.webhook_endpoint set created_at = now() + interval '1 minute' where id = $1`,
      [late.id],
    );
    const event = await publish(owner);
    const accepted = await explained(owner, event, good.id, 'delivered');
    assert.deepEqual(
      [accepted.Receives, accepted.Reason, accepted.Wait, accepted.Attempts.length],
      [true, '', undefined, 1],
    );
    const waiting = await explained(owner, event, bad.id, 'retry');
    assert.deepEqual([waiting.Receives, waiting.State], [true, 'waiting']);
    assert.deepEqual([waiting.Wait?.Attempt, waiting.Wait?.LastAttempt], [2, 3]);
    assert.ok(Date.parse(waiting.Wait?.Until ?? '') > Date.now());
    assert.deepEqual(
      waiting.Attempts.map(({ Status, StatusCode, NextAttemptAt }) => [
        Status,
        StatusCode,
        NextAttemptAt,
      ]),
      [['retry', 503, undefined]],
    );
    await explained(owner, event, off.id, 'inactive');

    const answer = await explain(owner, event);
    assert.deepEqual([answer.Event, answer.EventType], [event, 'report.made']);
    assert.ok(Math.abs(Date.parse(answer.OccurredAt) - Date.now()) < 60_000);
    assert.deepEqual(
      Object.fromEntries(answer.Endpoints.map(({ Endpoint, Reason }) => [Endpoint, Reason])),
      {
        [good.id]: '',
        [bad.id]: '',
        [other.id]: 'not_subscribed',
        [off.id]: 'inactive',
        [late.id]: 'created_later',
      },
    );
    assert.ok(answer.Endpoints.every(({ Message }) => Message.endsWith('.')));
    // Only the endpoints that get it were sent it.
    assert.deepEqual(
      [receiver.at('/good'), receiver.at('/other'), receiver.at('/off'), receiver.at('/late')].map(
        ({ length }) => length,
      ),
      [1, 0, 0, 0],
    );
  });

  test('a message that waits for a pause, for the receiver or for the rate limit says so', async () => {
    const owner = await newOwner();
    receiver.answer('/breaking', status(500));
    receiver.answer('/busy', status(429, { 'retry-after': '600' }));
    await at(owner, 'breaking', { EventTypes: ['a.a'] });
    for (let count = 0; count < 12; count++) await publish(owner, 'a.a');
    const paused = await eventually('a pause', async () => {
      const event = await publish(owner, 'a.a');
      const [one] = (await explain(owner, event)).Endpoints;
      return one?.Wait?.For === 'pause' && one;
    });
    assert.ok(Date.parse(paused.Wait?.Until ?? '') > Date.now() + 60_000);
    assert.deepEqual([paused.Attempts, paused.Wait?.Attempt], [[], 1]);

    const busy = await at(owner, 'busy', { EventTypes: ['b.b'] });
    await explained(owner, await publish(owner, 'b.b'), busy.id, 'retry');
    await explained(owner, await publish(owner, 'b.b'), busy.id, 'receiver');

    const slow = await at(owner, 'limited', { EventTypes: ['c.c'], RateLimit: 1 });
    const events: string[] = [];
    for (let count = 0; count < 20; count++) events.push(await publish(owner, 'c.c'));
    const last = events.at(-1) ?? '';
    await explained(owner, last, slow.id, 'rate');
    await explained(owner, last, slow.id, 'delivered');
  });

  test('a dead letter is failed, with its attempts', async () => {
    const owner = await newOwner();
    receiver.answer('/gone', status(410));
    const { id } = await at(owner, 'gone');
    const event = await publish(owner);
    const failed = await explained(owner, event, id, 'failed');
    assert.deepEqual([failed.Receives, failed.Attempts[0]?.StatusCode], [true, 410]);
  });

  test('a message that was sent before its endpoint was switched off is stopped', async () => {
    const owner = await newOwner();
    receiver.answer('/stopped', status(503));
    const { id } = await at(owner, 'stopped');
    const event = await publish(owner);
    await explained(owner, event, id, 'retry');
    const Endpoint = { ID: id, Tenant: owner.tenant, Name: 'stopped', Active: false };
    const request = { Endpoint: { ...Endpoint, URL: receiver.url('/stopped') } };
    bodyOf(await stack.call('Webhooks_UpdateEndpoint', request, owner.token));
    await rowsOf(
      stack,
      `update notifications.delivery_waiting set due_at = now() where endpoint = $1`,
      [id],
    );
    const { Receives, Reason, Attempts } = await explained(owner, event, id, 'stopped');
    assert.deepEqual([Receives, Reason], [true, '']);
    assert.deepEqual(
      Attempts.map(({ Status }) => Status),
      ['retry', 'dropped'],
    );
  });

  test('a test is known at the tested endpoint, and is for no other', async () => {
    const owner = await newOwner();
    const tested = await at(owner, 'tested');
    const other = await at(owner, 'untested', { EventTypes: [] });
    const { Tenant, ID } = { Tenant: owner.tenant, ID: tested.id };
    bodyOf(await stack.call('Webhooks_SendTest', { Tenant, ID }, owner.token));
    const event = receiver.at('/tested')[0]?.id ?? '';
    const { Receives, Attempts } = await explained(owner, event, tested.id, 'delivered');
    assert.deepEqual([Receives, Attempts.length], [true, 1]);
    await explained(owner, event, other.id, 'test_only');
    assertRefused(await ask(await newOwner(), event), 400, 'not_found');
  });

  test('an event is known by its deliveries alone, and an endpoint does not get the events about itself', async () => {
    const owner = await newOwner();
    receiver.answer('/parked', status(429, { 'retry-after': '600' }));
    const watcher = await at(owner, 'watcher', { EventTypes: ['webhook_endpoint.*'] });
    const self = await at(owner, 'self', { EventTypes: ['webhook_endpoint.updated'] });
    const Endpoint = { ID: self.id, Tenant: owner.tenant, Name: 'renamed' };
    const request = { Endpoint: { ...Endpoint, URL: receiver.url('/self') } };
    bodyOf(await stack.call('Webhooks_UpdateEndpoint', request, owner.token));
    const [updated] = await rowsOf<{ id: string }>(
      stack,
      `select id from notifications.outbox where type = 'webhook_endpoint.updated' and for_tenant = $1`,
      [owner.tenant],
    );
    const id = updated?.id ?? '';
    await explained(owner, id, watcher.id, 'delivered');
    await explained(owner, id, self.id, 'self_event');
    await rowsOf(stack, 'delete from notifications.outbox where id = $1', [id]);
    await explained(owner, id, self.id, 'self_event');

    // An event of another service of which only a waiting task is stored.
    const groups = await at(owner, 'parked', { EventTypes: ['group.created'] });
    const saveGroup = async (Path: string) =>
      bodyOf(
        await stack.call('Groups_Save', { Group: { Tenant: owner.tenant, Path } }, owner.token),
      );
    await saveGroup('first');
    await eventually('the first attempt', async () => receiver.at('/parked').length > 0);
    await eventually('the pause', async () => {
      const rows = await rowsOf(
        stack,
        'select from notifications.endpoint_health where endpoint = $1 and paused_until > now()',
        [groups.id],
      );
      return rows.length > 0;
    });
    await saveGroup('second');
    const waiting = await eventually('a parked task', async () => {
      const rows = await rowsOf<{ event: string }>(
        stack,
        `select event from notifications.delivery_waiting where endpoint = $1 and state = 'parked'`,
        [groups.id],
      );
      return rows[0]?.event;
    });
    assert.equal((await explain(owner, waiting)).EventType, 'group.created');
    await explained(owner, waiting, groups.id, 'receiver');
  });

  test('an endpoint that began to subscribe after the event is not said to wait for it', async () => {
    const owner = await newOwner();
    const { id } = await at(owner, 'learner', { EventTypes: ['report.read'] });
    const event = await publish(owner);
    await explained(owner, event, id, 'not_subscribed');
    const Endpoint = {
      ID: id,
      Tenant: owner.tenant,
      Name: 'learner',
      URL: receiver.url('/learner'),
      EventTypes: ['report.made'],
    };
    bodyOf(await stack.call('Webhooks_UpdateEndpoint', { Endpoint }, owner.token));
    await explained(owner, event, id, 'not_recorded');
  });

  test('an unknown event and one of another tenant are not found, and the permission is asked for', async () => {
    const [owner, stranger] = [await newOwner(), await newOwner()];
    await at(owner, 'own');
    await at(stranger, 'strange');
    const event = await publish(owner);
    await eventually('the delivery', async () => receiver.at('/own').length > 0);
    const unknown = await ask(owner, createId('evt'));
    assertRefused(unknown, 400, 'not_found');
    const foreign = await ask(stranger, event);
    assertRefused(foreign, 400, 'not_found');
    assert.deepEqual(foreign.body.Messages, unknown.body.Messages);
    assertRefused(await ask({ ...owner, token: stranger.token }, event), 403, 'permission_denied');
    for (const malformed of ['', 'evt_1', `${event}.whk_1`, `${event}%`])
      assertRefused(await ask(owner, malformed), 400, 'invalid_argument');
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(owner, event)));
    assert.ok(answers.every(({ status: code }) => code === 200));
  });
});
