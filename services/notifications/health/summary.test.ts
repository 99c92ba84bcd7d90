import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '@bailiwick/store';
import { findHealth } from './summary.ts';

const row = (endpoint: string, more: object = {}) => ({
  endpoint,
  failingSince: null,
  pausedUntil: null,
  waiting: 0,
  attempts: 3,
  delivered: 2,
  status: 'delivered',
  statusCode: 200,
  error: '',
  startedAt: '2026-01-01T00:00:00.000Z',
  ...more,
});

/** A database that answers each statement with these rows, and counts the statements. */
function fakeDatabase(rows: readonly object[]) {
  const counts = { statements: 0 };
  const query = async () => {
    counts.statements++;
    return rows;
  };
  return { database: { query } as unknown as Database, counts };
}

test('findHealth asks once for all endpoints of a page, and not at all for an empty page', async () => {
  const endpoints = ['whk_1', 'whk_2', 'whk_3'].map((id) => ({ id, active: true }));
  const { database, counts } = fakeDatabase(endpoints.map(({ id }) => row(id)));
  const healthOf = await findHealth(database, 'tnt_1', endpoints);
  assert.deepEqual(
    endpoints.map((endpoint) => healthOf(endpoint).successPercent),
    [66, 66, 66],
  );
  await findHealth(database, 'tnt_1', []);
  assert.equal(counts.statements, 1);
});

test('findHealth: off before paused before failing, and a last error only if the latest attempt failed', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  const failed = { status: 'retry', statusCode: 0, error: 'timeout', failingSince: at };
  const { database } = fakeDatabase([
    row('whk_1', { ...failed, pausedUntil: at }),
    row('whk_2', { ...failed }),
    row('whk_3'),
  ]);
  const healthOf = await findHealth(database, 'tnt_1', [{ id: 'whk_1', active: true }]);
  const stateOf = (id: string, active = true) => healthOf({ id, active }).state;
  assert.deepEqual(
    [stateOf('whk_1', false), stateOf('whk_1'), stateOf('whk_2'), stateOf('whk_3')],
    ['off', 'paused', 'failing', 'delivering'],
  );
  assert.equal(healthOf({ id: 'whk_2', active: true }).lastError?.error, 'timeout');
  assert.equal(healthOf({ id: 'whk_3', active: true }).lastError, undefined);
});
