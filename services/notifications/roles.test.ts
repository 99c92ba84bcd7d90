import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings, type Settings } from '@bailiwick/shared/config.ts';
import { readPlan } from './roles.ts';
import { notificationsSettings } from './settings.ts';

const plan = (over: Record<string, unknown>) =>
  readPlan({
    roles: ['api', 'fanout', 'delivery', 'email'],
    retrySchedule: ['0s', '1s', '1s', '1s', '1s', '1s', '1s'],
    egressAllowHosts: [],
    egressAllowCidrs: [],
    egressPorts: [],
    deliveryConcurrency: 64,
    emailConcurrency: 10,
    ...over,
  } as unknown as Settings<typeof notificationsSettings>);

test('a process takes the lanes of its roles', () => {
  assert.deepEqual(
    plan({}).lanes.map(({ name, concurrency, schedule }) => [name, concurrency, schedule.length]),
    [
      ['webhook', 64, 7],
      ['email', 10, 6],
    ],
  );
  assert.deepEqual(plan({ roles: ['api'] }).lanes, []);
  assert.deepEqual(
    plan({ roles: ['email'] }).lanes.map(({ name }) => name),
    ['email'],
  );
});

test('every mistake in the settings is told at once', () => {
  const { roles, retrySchedule, egressAllowCidrs, egressPorts } = notificationsSettings;
  const environment = {
    BAILIWICK_NOTIFICATIONS_ROLES: 'mail',
    BAILIWICK_RETRY_SCHEDULE: '5',
    BAILIWICK_EGRESS_ALLOW_CIDRS: '10.0.0.1',
    BAILIWICK_EGRESS_PORTS: 'abc',
  };
  const read = () => readSettings({ roles, retrySchedule, egressAllowCidrs, egressPorts }, environment);
  assert.throws(read, /ROLES.*\n.*RETRY_SCHEDULE.*\n.*EGRESS_ALLOW_CIDRS.*\n.*EGRESS_PORTS/);
});
