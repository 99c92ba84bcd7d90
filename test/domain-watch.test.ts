import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createId } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import type { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import type { LookUpTxt } from '@bailiwick/sso/domains/proof/txt.ts';
import { watchDomains } from '@bailiwick/sso/domains/proof/watch.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { createLimiter, type Database, openDatabase } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import { createTestDatabase } from './support/database.ts';
import { type DomainFields, putDomain } from './support/domain-rows.ts';
import { newName } from './support/domains.ts';
import { eventually } from './support/harness.ts';
import { countOf, eventsOf, rowsOf } from './support/store.ts';

// The domain watch of several replicas, on a database.

const log = createLog('test', () => {});

let server: Awaited<ReturnType<typeof createTestDatabase>>;
let at: { databaseUrl: string };
let replicas: Database[] = [];
before(async () => {
  server = await createTestDatabase();
  at = { databaseUrl: server.url };
  const { service, entities } = ssoSchema;
  replicas = Array.from({ length: 4 }, () =>
    openDatabase({ service, url: server.url, entities, poolSize: 2, log }),
  );
});
after(async () => {
  await Promise.all(replicas.map((one) => one.close()));
  await server?.drop();
});

const put = (tenant: string, fields?: DomainFields) => putDomain(at, tenant, fields);

/** Tenants that access reports as suspended or deleted. */
const closed = new Set<string>();
const admission = {
  isOpen: ({ tenant }: { tenant: string }) => Promise.resolve({ open: !closed.has(tenant) }),
} as unknown as PeerClient<typeof Admission>;

/** Runs the watch of all replicas until `done`. */
async function watch(lookUp: LookUpTxt, isDone: () => Promise<boolean>): Promise<void> {
  const stops = replicas.map((one) =>
    watchDomains({
      database: one,
      admission,
      limiter: createLimiter(one),
      lookUp,
      log,
      intervalMs: 10,
    })(),
  );
  await eventually('the watch', isDone);
  await Promise.all(stops.map((stop) => stop()));
}
const noneDue = async () =>
  (await countOf(
    at,
    `sso.domain where status <> 'pending' and next_check_at <= now() + interval '20 minutes'`,
  )) === 0;

test('one of several replicas checks a domain, and counts its day once', async () => {
  const tenant = createId('tnt');
  for (let index = 0; index < 60; index++) await put(tenant, { due: true, failedDays: index % 3 });
  const names: string[] = [];
  await watch(async (name) => {
    names.push(name);
    await sleep(20);
    return { missing: 'name' };
  }, noneDue);
  assert.deepEqual([names.length, new Set(names).size], [60, 60]);
  const events = await eventsOf(at, 'sso', tenant);
  assert.equal(events.length, 60);
  assert.equal(events.filter(({ type }) => type === 'domain.lapsed').length, 20);
  assert.deepEqual(
    await rowsOf(
      at,
      'select status, failed_days, count(*)::int as count from sso.domain where tenant = $1 group by 1, 2 order by 2',
      [tenant],
    ),
    [
      { status: 'verified', failed_days: 1, count: 20 },
      { status: 'verified', failed_days: 2, count: 20 },
      { status: 'lapsed', failed_days: 3, count: 20 },
    ],
  );
  // The next checks are spread over time.
  const [row] = await rowsOf<{ apart: number }>(
    at,
    `select extract(epoch from max(next_check_at) - min(next_check_at))::float8 as apart from sso.domain`,
  );
  assert.ok((row?.apart ?? 0) > 1800);
});

test('one of several replicas fails an expired claim, and leaves others pending', async () => {
  const tenant = createId('tnt');
  for (let index = 0; index < 150; index++)
    await put(tenant, { status: 'pending', over: index > 0 });
  await watch(
    () => Promise.resolve({ missing: 'answer' }),
    async () =>
      (await countOf(at, `sso.domain where tenant = $1 and status = 'failed'`, [tenant])) === 149,
  );
  const events = await eventsOf(at, 'sso', tenant);
  assert.deepEqual(
    [
      events.length,
      new Set(events.map(({ data }) => data['ID'])).size,
      new Set(events.map(({ type }) => type)).size,
    ],
    [149, 149, 1],
  );
});

test('one of several replicas looks for the record of a claim, each time after twice the age of the claim, and at least daily', async () => {
  const tenant = createId('tnt');
  const [minute, hour, day] = [60, 3600, 86_400];
  for (const age of [1, 2 * minute, 3 * hour, 2 * day])
    await put(tenant, { status: 'pending', due: true, age });
  const names: string[] = [];
  await watch(
    (name) => {
      names.push(name);
      return Promise.resolve({ missing: 'record' });
    },
    async () =>
      (await countOf(at, 'sso.domain where tenant = $1 and last_checked_at is null', [tenant])) ===
      0,
  );
  assert.equal(new Set(names).size, 4);
  const rows = await rowsOf<{ wait: number; reason: string }>(
    at,
    `select extract(epoch from next_check_at - last_checked_at)::float8 as wait, failure_reason as reason
     from sso.domain where tenant = $1 order by challenge_expires_at desc`,
    [tenant],
  );
  const [first, second, third, last] = rows.map(({ wait }) => wait) as [
    number,
    number,
    number,
    number,
  ];
  assert.ok(first >= 15 && second >= 2 * minute, `${first}, ${second}`);
  assert.ok(third >= 3 * hour && third < 4 * hour, String(third));
  assert.equal(last, day);
  assert.ok(rows.every(({ reason }) => reason.endsWith('has no TXT record')));
  assert.deepEqual(await eventsOf(at, 'sso', tenant), []);
});

test('a claim is verified when its record appears, and an event says so', async () => {
  const tenant = createId('tnt');
  const name = await put(tenant, { status: 'pending', due: true });
  await watch(
    () => Promise.resolve({ values: ['bailiwick-verify=abc'] }),
    async () =>
      (await countOf(at, `sso.domain where name = $1 and status = 'verified'`, [name])) === 1,
  );
  const [row] = await rowsOf(at, 'select status, failure_reason from sso.domain where name = $1', [
    name,
  ]);
  assert.deepEqual(row, { status: 'verified', failure_reason: '' });
  assert.deepEqual(
    (await eventsOf(at, 'sso', tenant)).map(({ type, actor }) => ({ type, actor })),
    [{ type: 'domain.verified', actor: { type: 'system', id: 'sso' } }],
  );
});

test('the claim of a closed tenant is not looked up, and another tenant verifies the name', async () => {
  const [first, second] = [createId('tnt'), createId('tnt')];
  const name = await put(first, { status: 'pending', due: true });
  closed.add(first);
  let lookUps = 0;
  const lookUp: LookUpTxt = () => {
    lookUps += 1;
    return Promise.resolve({ values: ['bailiwick-verify=abc'] });
  };
  await watch(
    lookUp,
    async () =>
      (await countOf(
        at,
        `sso.domain where tenant = $1 and next_check_at > now() + interval '50 minutes'`,
        [first],
      )) === 1,
  );
  assert.equal(lookUps, 0);
  await put(second, { name, status: 'pending', due: true });
  await watch(
    lookUp,
    async () =>
      (await countOf(at, `sso.domain where tenant = $1 and status = 'verified'`, [second])) === 1,
  );
  const [row] = await rowsOf(at, 'select status from sso.domain where tenant = $1', [first]);
  assert.deepEqual(row, { status: 'pending' });
});

test('a name that is claimed again and again is looked up four times a minute', async () => {
  const tenant = createId('tnt');
  const name = newName();
  let lookUps = 0;
  const lookUp: LookUpTxt = () => {
    lookUps += 1;
    return Promise.resolve({ missing: 'record' });
  };
  for (let turn = 0; turn < 6; turn++) {
    await put(tenant, { name, status: 'pending', due: true, age: 1 });
    await watch(
      lookUp,
      async () =>
        (await countOf(
          at,
          `sso.domain where tenant = $1 and next_check_at < now() + interval '9 minutes' and next_check_at > now()`,
          [tenant],
        )) === 1,
    );
    await rowsOf(at, 'delete from sso.domain where tenant = $1', [tenant]);
    // A slow machine must not begin another minute.
    await rowsOf(
      at,
      `update sso.rate_window set ends_at = now() + interval '1 minute' where key = $1`,
      [`domain_check ${tenant} ${name}`],
    );
  }
  assert.equal(lookUps, 4);
});

test('one of several tenants gets a lapsed domain back when its proof returns', async () => {
  const name = newName();
  const tenants = Array.from({ length: 4 }, () => createId('tnt'));
  for (const tenant of tenants)
    await put(tenant, { name, status: 'lapsed', due: true, failedDays: 3 });
  await watch(() => Promise.resolve({ values: ['bailiwick-verify=abc'] }), noneDue);
  assert.deepEqual(
    await rowsOf(
      at,
      'select status, count(*)::int as count from sso.domain where name = $1 group by 1 order by 1',
      [name],
    ),
    [
      { status: 'lapsed', count: 3 },
      { status: 'verified', count: 1 },
    ],
  );
});

test('a database constraint allows a verified domain in one tenant only', async () => {
  const name = await put(createId('tnt'));
  await put(createId('tnt'), { name, status: 'pending' });
  await assert.rejects(put(createId('tnt'), { name }), {
    code: '23505',
    constraint: 'domain_verified',
  });
});
