import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/values';
import { assertRefused, bodyOf, readList, readPage, recordIn } from '../support/answers.ts';
import { describeBoth, eventually, type Stack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { deliver, makeEndpoint, newestAt, type Owner, type Result } from './endpoints.ts';

type Attempt = {
  ID: string;
  Endpoint: string;
  Event: string;
  EventType: string;
  Attempt: number;
  Status: string;
  StatusCode: number;
  StartedAt: string;
};
type Verdict = {
  Endpoint: string;
  Name: string;
  Receives: boolean;
  Reason: string;
  Message: string;
};

describeBoth('webhook diagnostics', (topology) => {
  let stack: Stack;
  let owner: Owner;
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_RETRY_SCHEDULE: '0s,1s' });
    owner = await newOwner();
  });
  after(() => stack?.stop());

  async function newOwner(): Promise<Owner> {
    const { token } = await signUp(stack);
    return { stack, token, tenant: await createTenant(stack, token) };
  }
  const sendTest = (id: string, by = owner) =>
    stack.call('Webhooks_SendTest', { Tenant: by.tenant, ID: id }, by.token);
  const attemptsOf = (filter: object, by = owner) =>
    readList<Attempt>(stack, 'Webhooks_ListAttempts', { Tenant: by.tenant, ...filter }, by.token);
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
    const { items } = await attemptsOf({ Endpoint: id });
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
    const counts = [200, 429].map(
      (wanted) => answers.filter(({ status }) => status === wanted).length,
    );
    assert.deepEqual(counts, [10, 2]);
    assert.equal((await caughtBy(stack, 'pressed')).length, 10);
    const { id: second } = await makeEndpoint(owner, 'unpressed');
    assert.equal((await sendTest(second)).status, 200);
    assertRefused(await sendTest(createId('whk')), 400, 'not_found');
  });

  test('Webhooks_ListAttempts lists attempts, newest first, and filters by endpoint, status, type and time', async () => {
    const by = await newOwner();
    const good = await makeEndpoint(by, 'good', { EventTypes: ['group.*'] });
    const bad = await makeEndpoint(by, 'bad?status=500', { EventTypes: ['group.*'] });
    for (const Path of ['a', 'b'])
      bodyOf(await stack.call('Groups_Save', { Group: { Tenant: by.tenant, Path } }, by.token));
    const all = await eventually('six attempts', async () => {
      const { items } = await attemptsOf({}, by);
      return items.length === 6 && items;
    });
    assert.deepEqual(
      all.map(({ StartedAt }) => StartedAt),
      all
        .map(({ StartedAt }) => StartedAt)
        .toSorted()
        .toReversed(),
    );
    const ofGood = (await attemptsOf({ Endpoint: good.id }, by)).items;
    assert.deepEqual(
      ofGood.map(({ Status, EventType, Endpoint }) => [Status, EventType, Endpoint]),
      [
        ['delivered', 'group.created', good.id],
        ['delivered', 'group.created', good.id],
      ],
    );
    const counts = async (filter: object) =>
      (await attemptsOf(filter, by)).items.map(({ Status, Attempt: n }) => `${Status} ${n}`).sort();
    assert.deepEqual(await counts({ Endpoint: bad.id }), [
      'failed 2',
      'failed 2',
      'retry 1',
      'retry 1',
    ]);
    assert.deepEqual(await counts({ Outcome: 'delivered' }), ['delivered 1', 'delivered 1']);
    assert.deepEqual(await counts({ Outcome: 'failed' }), ['failed 2', 'failed 2']);
    assert.deepEqual(await counts({ EventType: 'group.deleted' }), []);
    assert.equal((await counts({ EventType: 'group.created' })).length, 6);
    const middle = all[2]?.StartedAt ?? '';
    const [from, until] = [
      await attemptsOf({ Since: middle }, by),
      await attemptsOf({ Until: middle }, by),
    ];
    assert.equal(from.items.length + until.items.length, 6);
    assert.ok(
      from.items.every(({ StartedAt }) => StartedAt >= middle) &&
        until.items.every(({ StartedAt }) => StartedAt < middle),
    );
    assert.ok(!JSON.stringify(all).includes('whsec_') && !JSON.stringify(all).includes('/hooks/'));
    assert.deepEqual(
      (await readList(stack, 'Chat_ListAttempts', { Tenant: by.tenant }, by.token)).items,
      [],
    );
    assertRefused(
      await stack.call('Webhooks_ListAttempts', { Tenant: by.tenant, Outcome: 'lost' }, by.token),
      400,
      'invalid_argument',
    );
  });

  test('Webhooks_ListAttempts pages by a cursor, and omits attempts older than 30 days', async () => {
    const by = await newOwner();
    const endpoint = createId('whk');
    // Many attempts have the same time, so a cursor needs more than the time.
    await rowsOf(
      stack,
      `insert into notifications.delivery_attempt (task, attempt, operation, tenant, endpoint, event, type, delivery, status, status_code, error, message, duration_ms, started_at, next_attempt_at)
       select 't' || n, 1 + n % 2, 'Webhooks_Deliver', $1, case when n % 10 = 9 then $3 else $2 end, '', 'a.b', 'd' || n, 'delivered', 200, '', '', 1,
         now() - make_interval(days => case when n = 99 then 31 else n % 3 end), null from generate_series(0, 99) as n`,
      [by.tenant, endpoint, createId('slk')],
    );
    const { items, sizes } = await readList<Attempt>(
      stack,
      'Webhooks_ListAttempts',
      { Tenant: by.tenant },
      by.token,
      7,
    );
    assert.equal(items.length, 90);
    assert.equal(new Set(items.map(({ ID }) => ID)).size, 90);
    assert.ok(sizes.length > 12);
    const chat = await readList<Attempt>(
      stack,
      'Chat_ListAttempts',
      { Tenant: by.tenant },
      by.token,
      4,
    );
    assert.deepEqual(
      [chat.items.length, chat.items.every(({ Endpoint }) => Endpoint.startsWith('slk_'))],
      [9, true],
    );
    const request = {
      Tenant: by.tenant,
      Page: {
        Limit: 5,
        Cursor: (
          await readPage(
            stack,
            'Webhooks_ListAttempts',
            { Tenant: by.tenant, Page: { Limit: 5 } },
            by.token,
          )
        ).NextCursor,
      },
    };
    assert.equal(
      (await readPage(stack, 'Webhooks_ListAttempts', request, by.token)).Items.length,
      5,
    );
    assertRefused(
      await stack.call('Webhooks_ListAttempts', { ...request, Endpoint: endpoint }, by.token),
      400,
      'invalid_argument',
    );
    assertRefused(
      await stack.call('Chat_ListAttempts', request, by.token),
      400,
      'invalid_argument',
    );
    assertRefused(
      await stack.call('Webhooks_ListAttempts', { ...request, Tenant: owner.tenant }, owner.token),
      400,
      'invalid_argument',
    );
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
    assert.deepEqual(await explain('role.created'), expected('gets', 'not_asked_for', 'inactive'));
    assert.deepEqual(
      await explain('report.finished'),
      expected('gets', 'not_asked_for', 'inactive'),
    );
    assert.deepEqual(
      await explain('webhook_endpoint.updated'),
      expected('gets own_life', 'not_asked_for', 'inactive'),
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
    const seen = await eventually('both events', async () => {
      const types = await typesAt('x-all');
      return (
        types.includes('group.created') &&
        types.includes('role.created') &&
        (await typesAt('x-groups')).length > 0 &&
        types
      );
    });
    assert.ok(seen.length > 0);
    assert.deepEqual(await typesAt('x-groups'), ['group.created']);
    assert.deepEqual(
      (await typesAt('x-idle')).filter((type) => !type.startsWith('webhook_endpoint.')),
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
    const gone = await deliver(owner, createId('whk'), '{}');
    assert.deepEqual([gone.Status, gone.Error], ['dropped', 'endpoint_not_found']);
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
