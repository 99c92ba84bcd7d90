import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, recordIn } from '../support/answers.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { rowsOf } from '../support/store.ts';
import { type Attempt, testAttemptLists } from './attempt-lists.ts';
import { deliver, makeEndpoint, newestAt, type Owner, type Result } from './endpoints.ts';

type Verdict = {
  Endpoint: string;
  Name: string;
  Receives: boolean;
  Reason: string;
  Message: string;
};

describeOne('webhook diagnostics', 'one process', (topology) => {
  let stack: Stack;
  let owner: Owner;
  before(async () => {
    stack = await sharedStack(topology, { BAILIWICK_RETRY_SCHEDULE: '0s,1s' });
    owner = await newOwner();
  });
  after(() => stack?.stop());

  async function newOwner(): Promise<Owner> {
    const { token } = await signUp(stack);
    return { stack, token, tenant: await createTenant(stack, token) };
  }
  const sendTest = (id: string, by = owner) =>
    stack.call('Webhooks_SendTest', { Tenant: by.tenant, ID: id }, by.token);
  const switchOff = async (id: string) => {
    const endpoint = recordIn(
      await stack.call('Webhooks_GetEndpoint', { Tenant: owner.tenant, ID: id }, owner.token),
      'Endpoint',
    ) as object;
    bodyOf(
      await stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...endpoint, Active: false } },
        owner.token,
      ),
    );
  };

  testAttemptLists(() => owner, newOwner);

  test('Webhooks_SendTest sends one signed endpoint.ping at once, also to an inactive endpoint', async () => {
    const other = await makeEndpoint(owner, 'bystander', { EventTypes: [] });
    const { id, secret } = await makeEndpoint(owner, 'pinged');
    await switchOff(id);
    const task = recordIn(await sendTest(id), 'Task') as Result;
    assert.deepEqual(
      [task.Status, task.StatusCode, task.Attempt, task.Error],
      ['delivered', 200, 1, ''],
    );
    const request = await newestAt(stack, 'pinged', secret);
    assert.ok(request.SignatureValid && request.StandardWebhooksValid);
    assert.deepEqual(
      [request.Headers['x-webhook-event'], request.Headers['webhook-id']],
      ['endpoint.ping', task.ID],
    );
    const body = JSON.parse(request.Body) as {
      id: string;
      type: string;
      tenant: string;
      data: { ID: string };
      actor: { type: string };
    };
    assert.deepEqual(
      [body.id, body.type, body.tenant, body.data.ID, body.actor.type],
      [task.ID, 'endpoint.ping', owner.tenant, id, 'user'],
    );
    const { items } = await readList<Attempt>(
      stack,
      'Webhooks_ListAttempts',
      { Tenant: owner.tenant, Endpoint: id },
      owner.token,
    );
    assert.deepEqual(
      items.map(({ ID, EventType, Status, Attempt: attempt }) => [ID, EventType, Status, attempt]),
      [[task.ID, 'endpoint.ping', 'delivered', 1]],
    );
    assert.ok(
      (await caughtBy(stack, 'bystander')).every(
        ({ Headers }) => Headers['x-webhook-event'] !== 'endpoint.ping',
      ),
    );
    assert.ok(other.id);
  });

  test('Webhooks_SendTest to a failing receiver returns failed, and is not retried', async () => {
    const { id } = await makeEndpoint(owner, 'unwell?status=503');
    const task = recordIn(await sendTest(id), 'Task') as Result;
    assert.deepEqual(
      [task.Status, task.StatusCode, task.Error, task.NextAttemptAt],
      ['failed', 503, 'http_status', undefined],
    );
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.equal((await caughtBy(stack, 'unwell')).length, 1);
    assert.deepEqual(
      (
        await rowsOf(stack, 'select task from notifications.delivery_waiting where endpoint = $1', [
          id,
        ])
      ).length,
      0,
    );
  });

  test('Webhooks_SendTest is allowed ten times a minute for each endpoint', async () => {
    const { id } = await makeEndpoint(owner, 'pressed');
    const answers = await Promise.all(Array.from({ length: 12 }, () => sendTest(id)));
    const counts = [200, 429].map((code) => answers.filter(({ status }) => status === code).length);
    assert.deepEqual(counts, [10, 2]);
    assert.equal((await caughtBy(stack, 'pressed')).length, 10);
    const { id: second } = await makeEndpoint(owner, 'unpressed');
    assert.equal((await sendTest(second)).status, 200);
    assertRefused(await sendTest(createId('whk')), 400, 'not_found');
  });

  test('Webhooks_Explain predicts the fan-out of an event type to each endpoint', async () => {
    const by = await newOwner();
    const all = await makeEndpoint(by, 'x-all', { EventTypes: [] });
    const groups = await makeEndpoint(by, 'x-groups', { EventTypes: ['group.*'] });
    const idle = await makeEndpoint(by, 'x-idle', { EventTypes: [] });
    const record = recordIn(
      await stack.call('Webhooks_GetEndpoint', { Tenant: by.tenant, ID: idle.id }, by.token),
      'Endpoint',
    ) as object;
    bodyOf(
      await stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...record, Active: false } },
        by.token,
      ),
    );
    const explain = async (Type: string) => {
      const verdicts = bodyOf(
        await stack.call('Webhooks_Explain', { Tenant: by.tenant, Type }, by.token),
      )['Endpoints'] as Verdict[];
      assert.ok(verdicts.every(({ Message, Name }) => Message !== '' && Name.startsWith('x-')));
      return Object.fromEntries(
        verdicts.map(({ Endpoint, Receives, Reason }) => [
          Endpoint,
          Receives ? `gets ${Reason}`.trim() : Reason,
        ]),
      );
    };
    const expected = (first: string, second: string, third: string) => ({
      [all.id]: first,
      [groups.id]: second,
      [idle.id]: third,
    });
    assert.deepEqual(await explain('group.created'), expected('gets', 'gets', 'inactive'));
    assert.deepEqual(await explain('role.created'), expected('gets', 'not_subscribed', 'inactive'));
    assert.deepEqual(
      await explain('report.finished'),
      expected('gets', 'not_subscribed', 'inactive'),
    );
    assert.deepEqual(
      await explain('webhook_endpoint.updated'),
      expected('gets self_event', 'not_subscribed', 'inactive'),
    );
    assert.deepEqual(
      await explain('group.renamed'),
      expected('unknown_type', 'unknown_type', 'unknown_type'),
    );
    assert.deepEqual(
      await explain('session.revoked'),
      expected('no_tenant', 'no_tenant', 'no_tenant'),
    );
    assert.deepEqual(
      await explain('endpoint.ping'),
      expected('test_only', 'test_only', 'test_only'),
    );

    bodyOf(
      await stack.call('Groups_Save', { Group: { Tenant: by.tenant, Path: 'told' } }, by.token),
    );
    bodyOf(
      await stack.call(
        'Roles_Save',
        { Role: { Tenant: by.tenant, Slug: 'told', Name: 'Told', Permissions: ['app.read'] } },
        by.token,
      ),
    );
    const typesAt = async (hook: string) =>
      (await caughtBy(stack, hook)).map(({ Headers }) => Headers['x-webhook-event'] ?? '');
    const both = await eventually('both events', async () => {
      const types = await typesAt('x-all');
      return (
        types.includes('group.created') &&
        types.includes('role.created') &&
        (await typesAt('x-groups')).length > 0 &&
        types
      );
    });
    assert.ok(both.length > 0);
    assert.deepEqual(await typesAt('x-groups'), ['group.created']);
    // It was active before, and may have got earlier events.
    assert.deepEqual(
      (await typesAt('x-idle')).filter((type) => /^(group|role)\./.test(type)),
      [],
    );
  });

  test('Webhooks_Deliver with the worker’s token makes one attempt per call, and does not retry', async () => {
    const [fine, broken] = [
      await makeEndpoint(owner, 'by-hand'),
      await makeEndpoint(owner, 'by-hand-500?status=500'),
    ];
    const [first, second] = [
      await deliver(owner, fine.id, '{"id":"evt_x"}'),
      await deliver(owner, fine.id, '{"id":"evt_x"}'),
    ];
    assert.deepEqual(
      [first.Status, first.Attempt, first.ID, second.ID],
      ['delivered', 1, 'evt_x', 'evt_x'],
    );
    assert.equal((await caughtBy(stack, 'by-hand')).length, 2);
    const failed = await deliver(owner, broken.id, '{}');
    assert.deepEqual([failed.Status, failed.StatusCode, failed.Attempt], ['retry', 500, 1]);
    const unknown = await deliver(owner, createId('whk'), '{}');
    assert.deepEqual([unknown.Status, unknown.Error], ['dropped', 'endpoint_not_found']);
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.equal((await caughtBy(stack, 'by-hand-500')).length, 1, 'there is no second attempt');
    const request = { Tenant: owner.tenant, Endpoint: fine.id, Type: 'test.sent', Body: 'e30=' };
    assertRefused(
      await stack.call('Webhooks_Deliver', request, owner.token),
      403,
      'permission_denied',
    );
    assertRefused(await stack.call('Webhooks_Deliver', request), 401, 'unauthenticated');
  });
});
