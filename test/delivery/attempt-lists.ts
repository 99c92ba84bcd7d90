import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, readList, readPage } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { makeEndpoint, type Owner } from './endpoints.ts';

export type Attempt = {
  ID: string;
  Endpoint: string;
  Event: string;
  EventType: string;
  Attempt: number;
  Status: string;
  StatusCode: number;
  StartedAt: string;
};

/** Webhooks_ListAttempts and Chat_ListAttempts. `started` is called after the suite has started. */
export function testAttemptLists(started: () => Owner, newOwner: () => Promise<Owner>): void {
  let owner: Owner;
  let stack: Stack;
  before(() => {
    owner = started();
    ({ stack } = owner);
  });
  const attemptsOf = (filter: object, by = owner) =>
    readList<Attempt>(stack, 'Webhooks_ListAttempts', { Tenant: by.tenant, ...filter }, by.token);

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
}
