import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { createExplanationCalls } from './explanation-calls.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

// Webhooks_Resend with Now: the next attempt at a waiting message is made at once.

const settings = { BAILIWICK_RETRY_SCHEDULE: '0s,1h,1h', BAILIWICK_BREAKER_PAUSES: '1h,4h' };

describeOne('resends at once', 'one process', (topology) => {
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

  const { newOwner, publish, explain, explained, at } = createExplanationCalls(() => ({
    stack,
    receiver,
  }));

  test('Webhooks_Resend with Now makes the next attempt at once and ends the pause, and Latest lists each message once', async () => {
    const owner = await newOwner();
    const stranger = await newOwner();
    receiver.answer('/mended', status(500));
    const { id: ID } = await at(owner, 'mended', { EventTypes: ['d.d'] });
    const Tenant = owner.tenant;
    const events: string[] = [];
    for (let count = 0; count < 12; count++) events.push(await publish(owner, 'd.d'));
    const parked = await eventually('a pause', async () => {
      const event = await publish(owner, 'd.d');
      events.push(event);
      const [one] = (await explain(owner, event)).Endpoints;
      return one?.Wait?.For === 'pause' && event;
    });
    const resend = (more: object, { token } = owner) =>
      stack.call('Webhooks_Resend', { Tenant, ID, MessageID: parked, ...more }, token);
    assertRefused(await resend({ Now: true }, stranger), 403, 'permission_denied');
    assertRefused(await resend({ Now: true, Tenant: stranger.tenant }, stranger), 400, 'not_found');
    // An attempt that fails begins the pause again, and no longer one.
    const [first = '', failing = ''] = events;
    assert.equal(bodyOf(await resend({ Now: true, MessageID: failing }))['Queued'], true);
    await eventually('the second failure', async () => {
      const [one] = (await explain(owner, failing)).Endpoints;
      return one?.Attempts.length === 2;
    });
    await eventually('the pause of an hour', async () => {
      const rows = await rowsOf(
        stack,
        'select from notifications.endpoint_health where endpoint = $1 and paused_until > now() and pause_ms = 3600000',
        [ID],
      );
      return rows.length > 0;
    });
    receiver.answer('/mended');
    const answers = await Promise.all(Array.from({ length: 4 }, () => resend({ Now: true })));
    assert.ok(answers.map((answer) => bodyOf(answer)['Queued']).includes(true));
    const delivered = await explained(owner, parked, ID, 'delivered');
    assert.deepEqual(
      delivered.Attempts.slice(0, 1).map(({ Attempt, Status }) => [Attempt, Status]),
      [[1, 'delivered']],
    );
    await eventually('the end of the pause', async () => {
      const request = { Tenant, ID };
      const { Endpoint } = bodyOf(
        await stack.call('Webhooks_GetEndpoint', request, owner.token),
      ) as { Endpoint: { Health: { State: string } } };
      return Endpoint.Health.State === 'delivering';
    });

    // A retry that waits for an hour is made now, as the second attempt.
    const request = { Tenant, ID, MessageID: first };
    bodyOf(await stack.call('Webhooks_Resend', { ...request, Now: true }, owner.token));
    await explained(owner, first, ID, 'delivered');
    const list = async (Latest: boolean) => {
      const filter = { Tenant, Endpoint: ID, Latest, Page: { Limit: 100 } };
      const { Page } = bodyOf(
        await stack.call('Webhooks_ListAttempts', filter, owner.token),
      ) as unknown as { Page: { Items: Array<{ ID: string; Attempt: number; Status: string }> } };
      return Page.Items.filter((item) => item.ID === first).map(({ Attempt }) => Attempt);
    };
    assert.deepEqual([await list(false), await list(true)], [[2, 1], [2]]);

    const more = await Promise.all(Array.from({ length: 15 }, () => resend({ Now: true })));
    const refused = more.filter(({ status: code }) => code === 429);
    assert.ok(refused.length > 0);
    for (const answer of refused) assertRefused(answer, 429, 'resource_exhausted');
  });

  test('Webhooks_Resend with Now does not end a pause that the receiver asked for', async () => {
    const owner = await newOwner();
    receiver.answer('/resting', status(429, { 'retry-after': '600' }));
    const { id: ID } = await at(owner, 'resting');
    const first = await publish(owner);
    await explained(owner, first, ID, 'retry');
    const second = await publish(owner);
    await explained(owner, second, ID, 'receiver');
    for (const MessageID of [first, second]) {
      const request = { Tenant: owner.tenant, ID, MessageID, Now: true };
      const answer = await stack.call('Webhooks_Resend', request, owner.token);
      assert.deepEqual(bodyOf(answer), { Queued: false });
    }
    await explained(owner, second, ID, 'receiver');
    assert.equal(receiver.at('/resting').length, 1);
  });
});
