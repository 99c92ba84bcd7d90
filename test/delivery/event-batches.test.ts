import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { types } from '@bailiwick/notifications/events/catalogue.ts';
import { isReplayed, keyed } from '../operations/idempotency-calls.ts';
import { assertRefused, bodyOf, retryWhileBusy } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { makeEndpoint, type Owner } from './endpoints.ts';

type Result = {
  ID: string;
  Code: string;
  Messages: string[];
  Problems: Array<{ Field: string; Rule: string }>;
  RetryAfterSeconds: number;
};

const base64 = (text: string) => Buffer.from(text).toString('base64');
const report = (more: object = {}) => ({ Type: 'report.finished', Body: base64('{}'), ...more });
const reports = (count: number) => Array.from({ length: count }, () => report());
const idsOf = (results: readonly Result[]) => results.map(({ ID }) => ID);

describeOne('Events_PublishBatch', 'one process', (topology) => {
  let stack: Stack;
  let owner: Owner;
  before(async () => {
    stack = await startStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
  });
  after(() => stack?.stop());

  const publish = (Events: readonly object[], { tenant, token }: Owner = owner, headers = {}) =>
    stack.call('Events_PublishBatch', { Tenant: tenant, Events }, token, headers);
  const resultsOf = (answer: Awaited<ReturnType<typeof publish>>) =>
    bodyOf(answer)['Results'] as Result[];
  /** The events of a tenant in the outbox. */
  const countEvents = (tenant: string) =>
    countOf(stack, 'notifications.outbox where for_tenant = $1 and event is not null', [tenant]);
  /** A tenant that has used its limit up to the last few events. */
  async function tenantWithLimit(left: number): Promise<string> {
    const tenant = await createTenant(stack, owner.token);
    await rowsOf(
      stack,
      "insert into notifications.rate_window (key, count, ends_at) values ($1, $2, now() + interval '1 minute')",
      [`publish ${tenant}`, 6000 - left],
    );
    return tenant;
  }

  test('each event is delivered once, with its body byte for byte and an audit entry of its own', async () => {
    await makeEndpoint(owner, 'batch', { EventTypes: ['report.*'] });
    const bodies = Array.from({ length: 120 }, (_, n) => `{ "n": ${n}.10, "x": 9007199254740993 }`);
    const results = resultsOf(await publish(bodies.map((text) => report({ Body: base64(text) }))));
    const ids = idsOf(results);
    assert.equal(new Set(ids).size, bodies.length);
    const caught = await eventually('the events', async () => {
      const all = await caughtBy(stack, 'batch');
      return all.length >= bodies.length && all;
    });
    const received = new Map(caught.map(({ Headers, Body }) => [Headers['webhook-id'], Body]));
    assert.equal(caught.length, received.size);
    for (const [index, text] of bodies.entries())
      assert.ok(received.get(String(ids[index]))?.includes(`"data":${text},"previous":{}}`));
    const entries = "access.audit_entry where tenant = $1 and operation = 'Events_PublishBatch'";
    await eventually(
      'the audit entries',
      async () => (await countOf(stack, entries, [owner.tenant])) === bodies.length,
    );
  });

  test('an event that is refused keeps no other out, and its result says why', async () => {
    const tenant = await createTenant(stack, owner.token);
    const wrong: ReadonlyArray<readonly [event: object, field: string]> = [
      [report({ Type: '' }), 'Type'],
      [report({ Type: 'Report.finished' }), 'Type'],
      [report({ Type: `${'a'.repeat(64)}b` }), 'Type'],
      [report({ Body: '' }), 'Body'],
      [report({ Body: base64('[]') }), 'Body'],
      [report({ Body: base64('{}{}') }), 'Body'],
      [report({ Body: Buffer.from([123, 34, 255, 34, 58, 49, 125]).toString('base64') }), 'Body'],
      [report({ Body: base64(`${' '.repeat(65_536)}{}`) }), 'Body'],
      [report({ ID: 'a b' }), 'ID'],
      [report({ ID: 'x'.repeat(65) }), 'ID'],
      [{}, 'Type'],
    ];
    const events = wrong.flatMap(([event]) => [report(), event]);
    const results = resultsOf(await publish(events, { ...owner, tenant }));
    assert.equal(results.length, events.length);
    for (const [index, [event, field]] of wrong.entries()) {
      const [right, refused] = results.slice(2 * index, 2 * index + 2);
      assert.match(right?.ID ?? '', /^evt_/);
      assert.deepEqual([right?.Code, right?.Messages], ['', []]);
      assert.deepEqual([refused?.ID, refused?.Code], ['', 'invalid_argument']);
      assert.equal(refused?.Problems[0]?.Field, field, JSON.stringify([event, refused]));
    }
    assert.equal(await countEvents(tenant), wrong.length);
    // Refused events do not count against the limit.
    const [{ count } = { count: 0 }] = await rowsOf<{ count: number }>(
      stack,
      'select count from notifications.rate_window where key = $1',
      [`publish ${tenant}`],
    );
    assert.equal(count, wrong.length);
  });

  test('no event is of a family that only the service publishes', async () => {
    const families = [...new Set([...types.keys()].map((type) => type.split('.')[0] ?? ''))];
    const all = [...families, 'access', 'audit', 'key', 'mail_suppression', 'sso'];
    for (const { Code } of resultsOf(
      await publish(all.map((name) => report({ Type: `${name}.x` }))),
    ))
      assert.equal(Code, 'invalid_argument');
    assert.deepEqual(
      resultsOf(await publish([report({ Type: 'users.imported' })])).map(({ Code }) => Code),
      [''],
    );
  });

  test('a call without the right, with too many events or of a wrong shape publishes nothing', async () => {
    const tenant = await createTenant(stack, owner.token);
    const stranger = await signUp(stack);
    assertRefused(
      await publish(reports(2), { stack, tenant, token: stranger.token }),
      403,
      'permission_denied',
    );
    const refused = async (events: readonly object[], message: string) =>
      assertRefused(await publish(events, { ...owner, tenant }), 400, 'invalid_argument', [
        message,
      ]);
    await refused([], 'Events is required');
    await refused(reports(1001), 'Events must have at most 1000 items');
    // The tenant of the call is that of each event.
    const elsewhere = await createTenant(stack, stranger.token);
    await refused(
      [report(), report({ Tenant: elsewhere })],
      'Events[1].Tenant is not a known field',
    );
    await refused([report(), report({ Body: 7 })], 'Events[1].Body must be base64');
    const large = base64(`{"text":"${'x'.repeat(60_000)}"}`);
    await refused(
      Array.from({ length: 14 }, () => report({ Body: large })),
      'the body must be at most 1 MiB',
    );
    assert.deepEqual([await countEvents(tenant), await countEvents(elsewhere)], [0, 0]);
  });

  test('an ID publishes once within ten minutes: in a batch, in batches at once and beside Events_Publish', async () => {
    const tenant = await createTenant(stack, owner.token);
    const place = { ...owner, tenant };
    const named = Array.from({ length: 40 }, (_, n) => report({ ID: `report-${n}` }));
    const twice = [...named, ...named.toReversed()];
    const alone = (n: number) => () =>
      stack.call('Events_Publish', { Tenant: tenant, ...named[n] }, owner.token);
    const [singles, ...batches] = await Promise.all([
      Promise.all([0, 7, 39].map((n) => retryWhileBusy(alone(n)))),
      ...Array.from({ length: 12 }, () => retryWhileBusy(() => publish(twice, place))),
    ]);
    const [first = [], ...others] = batches.map((answer) => idsOf(resultsOf(answer)));
    assert.equal(new Set(first).size, named.length);
    assert.deepEqual(first.slice(named.length), first.slice(0, named.length).toReversed());
    for (const ids of others) assert.deepEqual(ids, first);
    assert.deepEqual(
      singles.map((answer) => bodyOf(answer)['ID']),
      [first[0], first[7], first[39]],
    );
    assert.equal(await countEvents(tenant), named.length);
    // Another tenant and another caller have IDs of their own.
    const elsewhere = await createTenant(stack, owner.token);
    const [foreign] = idsOf(
      resultsOf(await publish(named.slice(0, 1), { ...owner, tenant: elsewhere })),
    );
    assert.ok(!first.includes(String(foreign)));
    await rowsOf(
      stack,
      "update notifications.published_event set published_at = now() - interval '10 minutes' where tenant = $1 and id like '% report-3'",
      [tenant],
    );
    const again = idsOf(resultsOf(await publish(named, place)));
    assert.deepEqual(
      again.map((id, index) => id === first[index]),
      named.map((_, index) => index !== 3),
    );
  });

  test('an Idempotency-Key publishes once, and a repetition gets the same results', async () => {
    const tenant = await createTenant(stack, owner.token);
    const call = (events: readonly object[]) =>
      publish(events, { ...owner, tenant }, keyed('batch'));
    const events = [report(), report({ Type: '' }), report()];
    const first = await call(events);
    const again = await call(events);
    assert.deepEqual([isReplayed(first), isReplayed(again)], [false, true]);
    assert.deepEqual(resultsOf(again), resultsOf(first));
    assert.equal(await countEvents(tenant), 2);
    assertRefused(await call(reports(3)), 400, 'invalid_argument');
    assert.equal(await countEvents(tenant), 2);
  });

  test('the events beyond the tenant’s limit are refused, and only these', async () => {
    const tenant = await tenantWithLimit(3);
    const events = [report(), report({ Type: '' }), ...reports(4)];
    const results = resultsOf(await publish(events, { ...owner, tenant }));
    assert.deepEqual(
      results.map(({ Code }) => Code),
      ['', 'invalid_argument', '', '', 'resource_exhausted', 'resource_exhausted'],
    );
    assert.deepEqual(
      results.map(({ RetryAfterSeconds }) => RetryAfterSeconds > 0 && RetryAfterSeconds <= 60),
      [false, false, false, false, true, true],
    );
    assert.equal(await countEvents(tenant), 3);
    assertRefused(
      await stack.call('Events_Publish', { Tenant: tenant, ...report() }, owner.token),
      429,
      'resource_exhausted',
    );
    assert.equal(await countEvents(tenant), 3);
  });

  test('a batch of which the limit allows no event is refused, and may be repeated under its Idempotency-Key', async () => {
    const tenant = await tenantWithLimit(0);
    const call = () => publish(reports(2), { ...owner, tenant }, keyed('refused'));
    assertRefused(await call(), 429, 'resource_exhausted');
    await rowsOf(stack, 'delete from notifications.rate_window where key = $1', [
      `publish ${tenant}`,
    ]);
    assert.deepEqual(
      resultsOf(await call()).map(({ Code }) => Code),
      ['', ''],
    );
    assert.equal(await countEvents(tenant), 2);
  });

  test('of 200 batches at once no event is published beyond the limit, and none is lost', async () => {
    const tenant = await tenantWithLimit(500);
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => publish(reports(5), { ...owner, tenant })),
    );
    for (const { status, body } of answers)
      assert.ok(status === 200 || status === 429, JSON.stringify(body));
    const published = answers
      .filter(({ status }) => status === 200)
      .flatMap((answer) => resultsOf(answer))
      .filter(({ Code }) => Code === '');
    assert.equal(new Set(published.map(({ ID }) => ID)).size, published.length);
    assert.ok(published.length > 0 && published.length <= 500, String(published.length));
    assert.equal(await countEvents(tenant), published.length);
  });
});
