import assert from 'node:assert/strict';
import process from 'node:process';
import { after, before, test } from 'node:test';
import {
  eventually,
  type OwnStack,
  type StackOptions,
  startStack,
  type Topology,
} from '../support/harness.ts';
import { newAddress, password } from '../support/people.ts';
import { travel } from './journey.ts';

// The names and labels that dashboards and alerts use, and tests that find them.

const onDeno = process.env['BAILIWICK_TEST_RUNTIME'] === 'deno';
const everywhere = {
  bailiwick_build_info: ['runtime', 'version'],
  process_cpu_seconds_total: [],
  process_start_time_seconds: [],
  process_resident_memory_bytes: [],
  nodejs_heap_size_used_bytes: [],
  nodejs_heap_size_total_bytes: [],
  nodejs_external_memory_bytes: [],
  nodejs_eventloop_lag_seconds: ['le'],
  ...(onDeno ? {} : { nodejs_active_resources: [], nodejs_gc_duration_seconds: ['kind', 'le'] }),
  target_info: [
    'service_instance_id',
    'service_name',
    'service_version',
    'telemetry_sdk_language',
    'telemetry_sdk_name',
    'telemetry_sdk_version',
  ],
};
const called = {
  bailiwick_operation_seconds: ['le', 'operation'],
  bailiwick_operations_total: ['operation', 'status'],
  bailiwick_answers_total: ['code'],
};
const tokens = { bailiwick_caller_token_refusals_total: ['service'] };
const calls = { ...tokens, bailiwick_rpc_seconds: ['le', 'service'] };
const stores = {
  bailiwick_broker_full_total: [],
  bailiwick_database_size_bytes: ['service'],
  bailiwick_database_connections: ['service', 'state'],
  bailiwick_database_waiting: ['service'],
  bailiwick_outbox_lag_seconds: ['service'],
  bailiwick_broker_loss_republished_total: [],
  bailiwick_delivery_publish_duplicates_total: [],
};
const queue = {
  bailiwick_delivery_attempts_total: ['error', 'lane', 'status'],
  bailiwick_delivery_first_byte_seconds: ['le'],
  bailiwick_delivery_queue_age_seconds: ['lane'],
  bailiwick_delivery_in_flight: ['lane'],
  bailiwick_delivery_dead_letters: [],
  bailiwick_delivery_spilled_total: [],
  bailiwick_dek_by_kek: ['kek', 'service'],
  bailiwick_delivery_breaker_open: [],
  bailiwick_key_cache_hits_total: [],
};

/** The metrics of each process after the main flow: metric → labels. */
const expectedMetrics = {
  gateway: {
    ...everywhere,
    ...called,
    ...calls,
    bailiwick_broker_full_total: [],
    bailiwick_broker_storage_bytes: [],
    bailiwick_data_disk_free_bytes: [],
    bailiwick_data_disk_size_bytes: [],
    bailiwick_delivery_publish_duplicates_total: [],
    bailiwick_follower_drops_total: [],
    bailiwick_follower_leases_waited_total: [],
    bailiwick_forwarded_malformed_total: [],
    bailiwick_permission_cache_total: ['outcome'],
  },
  identity: {
    ...everywhere,
    ...called,
    ...calls,
    ...stores,
    bailiwick_hash_queue: [],
    bailiwick_imported_hash_queue: [],
    bailiwick_key_cache_hits_total: [],
    bailiwick_sign_ins_total: ['method', 'result'],
  },
  access: {
    ...everywhere,
    ...called,
    ...calls,
    ...stores,
    bailiwick_audit_prune_refused_total: [],
  },
  sso: { ...everywhere, ...called, ...tokens, ...stores, bailiwick_key_cache_hits_total: [] },
  notifications: { ...everywhere, ...called, ...calls, ...stores, ...queue },
} as const;

type Sample = { metric: string; labels: Record<string, string>; value: number };

export async function scrape(
  stack: OwnStack,
  name: keyof typeof expectedMetrics,
): Promise<Sample[]> {
  const response = await fetch(`http://127.0.0.1:${stack.wiring.ports[name].admin}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
  const lines = (await response.text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return lines.map((line) => {
    const [, metric = '', labels = '', value = ''] =
      /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? assert.fail(line);
    const pairs = Array.from(
      labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g),
      ([, key = '', text = '']) => [key, text] as const,
    );
    return {
      metric: metric.replace(/_(bucket|sum|count)$/, ''),
      labels: Object.fromEntries(pairs),
      value: value === '+Inf' ? Infinity : Number(value),
    };
  });
}

function labelsByMetric(samples: readonly Sample[]): Record<string, string[]> {
  const labelSets = new Map<string, Set<string>>();
  for (const { metric, labels } of samples)
    labelSets.set(metric, new Set([...(labelSets.get(metric) ?? []), ...Object.keys(labels)]));
  return Object.fromEntries([...labelSets].map(([metric, labels]) => [metric, [...labels].sort()]));
}

/**
 * A label that contains one of these would be a time series for each tenant, user, endpoint or
 * address.
 */
const unbounded = /tnt_|usr_|whk_|slk_|evt_|tsk_|ses_|@|:\/\/|[0-9a-f]{32}/;

export const sumOf = (
  samples: readonly Sample[],
  metric: string,
  labels: Record<string, string>,
): number =>
  samples
    .filter(
      (sample) =>
        sample.metric === metric &&
        Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
    )
    .reduce((sum, { value }) => sum + value, 0);

/** Returns the stack, once it has started. */
export function measured(
  topology: Topology,
  settings: Record<string, string> = {},
  options: StackOptions = {},
): () => OwnStack {
  let stack: OwnStack;
  let tenant: string;
  const processes =
    topology === 'one process'
      ? (['gateway'] as const)
      : (Object.keys(expectedMetrics) as Array<keyof typeof expectedMetrics>);
  before(async () => {
    stack = await startStack(topology, settings, options);
    const journey = await travel(stack);
    ({ tenant } = journey);
    await stack.call('Account_Get', {}, journey.session);
    await stack.call('Groups_Get', { Tenant: tenant, Path: 'eng' }, 'nonsense');
    // For an event of a user, notifications asks access for the user's tenants.
    const URL = `${stack.inboxUrl}/hooks/${tenant}`;
    await stack.call(
      'Webhooks_CreateEndpoint',
      { Endpoint: { Tenant: tenant, Name: 'c', URL, EventTypes: ['user.signed_in'] } },
      journey.session,
    );
    await stack.call('Account_Login', { Email: journey.email, Password: password });
    // The second delivery finds the tenant's key in the cache.
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'more' } }, journey.session);
    const delivered = async (lane: string) =>
      sumOf(await all(), 'bailiwick_delivery_attempts_total', { lane, status: 'delivered' });
    await eventually(
      'the deliveries',
      async () => (await delivered('webhook')) === 3 && (await delivered('chat')) === 2,
    );
    // access asks identity for the name of a new member after the change.
    const caller = topology === 'one process' ? 'gateway' : 'access';
    await eventually('the names of the members', async () =>
      (await scrape(stack, caller)).some(({ metric }) =>
        metric.startsWith('bailiwick_rpc_seconds'),
      ),
    );
  });
  after(() => stack?.stop());

  const all = async () => (await Promise.all(processes.map((name) => scrape(stack, name)))).flat();

  test('every process has its metrics, with exactly the documented labels', async () => {
    for (const name of processes) {
      // Services in one process send each other no caller tokens.
      const { bailiwick_caller_token_refusals_total: _, ...together } = Object.assign(
        {},
        ...Object.values(expectedMetrics),
      );
      const expected = topology === 'one process' ? together : expectedMetrics[name];
      assert.deepEqual(
        labelsByMetric(await scrape(stack, name)),
        sorted(expected as Record<string, string[]>),
        name,
      );
    }
  });

  test('no label identifies tenants, users, endpoints or addresses', async () => {
    for (const { metric, labels } of await all())
      if (metric !== 'target_info')
        for (const [label, value] of Object.entries(labels))
          assert.doesNotMatch(value, unbounded, `${metric} ${label}`);
  });

  test('an operation is counted once, with its result', async () => {
    const samples = await all();
    const countOf = (operation: string, status: string) =>
      sumOf(samples, 'bailiwick_operations_total', { operation, status });
    assert.equal(countOf('Groups_Save', '200'), 2);
    assert.equal(countOf('Groups_Get', '401'), 1);
    assert.equal(countOf('Account_Task_SendEmailVerification', '200'), 1);
    assert.equal(sumOf(samples, 'bailiwick_answers_total', { code: 'unauthenticated' }), 1);
    assert.equal(
      sumOf(samples, 'bailiwick_operation_seconds', { operation: 'Groups_Save', le: '+Inf' }),
      2,
    );
  });

  test('the process, its runtime and its connections are measured', async () => {
    for (const name of processes) {
      const samples = await scrape(stack, name);
      const valueOf = (metric: string) => sumOf(samples, metric, {});
      assert.ok(valueOf('process_cpu_seconds_total') > 0.1, name);
      assert.ok(Math.abs(valueOf('process_start_time_seconds') - Date.now() / 1000) < 600, name);
      assert.ok(
        valueOf('process_resident_memory_bytes') > valueOf('nodejs_heap_size_used_bytes') &&
          valueOf('nodejs_heap_size_used_bytes') > 1_000_000,
        name,
      );
      assert.ok(sumOf(samples, 'nodejs_eventloop_lag_seconds', { le: '+Inf' }) > 0, name);
      const [build] = samples.filter(({ metric }) => metric === 'bailiwick_build_info');
      assert.match(
        `${build?.labels['version']} ${build?.labels['runtime']}`,
        /^\d+\.\d+\.\d+ (node|deno) \d+\./,
      );
    }
    const samples = await all();
    const used = sumOf(samples, 'bailiwick_broker_storage_bytes', {});
    const free = sumOf(samples, 'bailiwick_data_disk_free_bytes', {});
    assert.ok(used > 1000 && used < 1_000_000_000, `${used} bytes of the broker`);
    assert.ok(free > 0 && free < sumOf(samples, 'bailiwick_data_disk_size_bytes', {}));
    for (const service of ['identity', 'access', 'sso', 'notifications']) {
      assert.ok(sumOf(samples, 'bailiwick_database_connections', { service }) > 0, service);
      assert.equal(sumOf(samples, 'bailiwick_database_waiting', { service }), 0, service);
      const size = sumOf(samples, 'bailiwick_database_size_bytes', { service });
      assert.ok(size > 5_000_000, `${service}: ${size} bytes`);
    }
  });

  test('sign-ins are counted by result', async () => {
    const countOf = async (result: string) =>
      sumOf(await all(), 'bailiwick_sign_ins_total', { method: 'password', result });
    const before = [await countOf('success'), await countOf('failure')];
    assert.ok((before[0] ?? 0) > 0);
    assert.equal(
      (await stack.call('Account_Login', { Email: newAddress(), Password: 'wrong password' }))
        .status,
      401,
    );
    assert.deepEqual(
      [await countOf('success'), await countOf('failure')],
      [before[0], (before[1] ?? 0) + 1],
    );
  });

  test('attempts are counted by result', async () => {
    const samples = await all();
    const attempts = (labels: Record<string, string>) =>
      sumOf(samples, 'bailiwick_delivery_attempts_total', labels);
    assert.equal(attempts({ lane: 'webhook', status: 'retry', error: 'http_status' }), 1);
    assert.equal(attempts({ lane: 'webhook', status: 'delivered', error: '' }), 3);
    assert.equal(attempts({ lane: 'chat', status: 'retry', error: 'http_status' }), 1);
    assert.equal(attempts({ lane: 'chat', status: 'delivered', error: '' }), 2);
    assert.equal(attempts({ lane: 'email', status: 'delivered' }), 2);
    assert.ok(sumOf(samples, 'bailiwick_key_cache_hits_total', {}) > 0);
    assert.equal(sumOf(samples, 'bailiwick_delivery_dead_letters', {}), 0);
  });
  return () => stack;
}

const sorted = (record: Record<string, string[]>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(record).map(([name, labels]) => [name, labels.toSorted()]));
