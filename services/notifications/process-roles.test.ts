import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, type Settings } from '@bailiwick/process';
import { readPlan } from './process-roles.ts';
import { notificationsSettings } from './settings.ts';

const plan = (over: Record<string, unknown>) =>
  readPlan({
    roles: ['api', 'fanout', 'delivery', 'email'],
    retrySchedule: ['0s', '1s', '1s', '1s', '1s', '1s', '1s'],
    egressAllowHosts: [],
    egressAllowCidrs: [],
    egressPorts: [],
    breakerPauses: ['30s', '15m'],
    endpointPatience: ['6h', '24h', '120h'],
    egressResolver: '',
    deliveryConcurrency: 64,
    emailConcurrency: 10,
    ...over,
  } as unknown as Settings<typeof notificationsSettings>);

test('a process runs the lanes of its roles', () => {
  assert.deepEqual(
    plan({}).lanes.map(({ name, concurrency }) => [name, concurrency]),
    [
      ['webhook', 64],
      ['chat', 16],
      ['logout', 16],
      ['slow', 32],
      ['replay', 8],
      ['email', 10],
    ],
  );
  const { schedules, disablePolicy } = plan({});
  assert.deepEqual([schedules.webhook.length, schedules.other.length], [7, 6]);
  assert.deepEqual(disablePolicy, {
    noticeSeconds: [21_600, 86_400],
    disableAfterSeconds: 432_000,
  });
  assert.deepEqual(plan({ roles: ['api'] }).lanes, []);
  assert.equal(
    plan({ deliveryConcurrency: 1 }).lanes.find(({ name }) => name === 'chat')?.concurrency,
    1,
  );
  assert.deepEqual(
    plan({ roles: ['email'] }).lanes.map(({ name }) => name),
    ['email'],
  );
});

test('all mistakes in the settings are reported at once', () => {
  const { roles, retrySchedule, egressAllowCidrs, egressPorts, egressResolver, egressProxyUrl } =
    notificationsSettings;
  const environment = {
    BAILIWICK_NOTIFICATIONS_ROLES: 'mail',
    BAILIWICK_RETRY_SCHEDULE: '5',
    BAILIWICK_EGRESS_ALLOW_CIDRS: '10.0.0.1',
    BAILIWICK_EGRESS_PORTS: 'abc',
    BAILIWICK_EGRESS_RESOLVER: 'dns.example',
    BAILIWICK_EGRESS_PROXY_URL: 'https://user:hidden@proxy.example',
  };
  const read = () =>
    readSettings(
      { roles, retrySchedule, egressAllowCidrs, egressPorts, egressResolver, egressProxyUrl },
      environment,
    );
  assert.throws(
    read,
    /ROLES.*\n.*RETRY_SCHEDULE.*\n.*EGRESS_ALLOW_CIDRS.*\n.*EGRESS_PORTS.*\n.*EGRESS_RESOLVER.*\n.*EGRESS_PROXY_URL/,
  );
  assert.throws(read, (error: Error) => !error.message.includes('hidden'));
});
