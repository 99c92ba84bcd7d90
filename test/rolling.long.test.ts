import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceName } from '@bailiwick/deploy/local/secrets.ts';
import { preDrainMs } from './support/balancer.ts';
import { loadWhile, requestsOf } from './support/load.ts';
import { startReplicas } from './support/replicas.ts';

// A rolling update: replaces two replicas of every process one after the other, under load.

const rate = 200;
/** Processes that are replaced at the same time. Each start costs seconds of a core. */
const groups: ReadonlyArray<readonly ServiceName[]> = [
  ['gateway', 'sso', 'notifications'],
  ['identity', 'access'],
];

for (const wire of ['http', 'grpc'] as const) {
  test(`a rolling update under ${rate} requests a second over ${wire} fails no request`, async (t) => {
    const replicas = await startReplicas(wire, { BAILIWICK_PRE_DRAIN_MS: String(preDrainMs) });
    t.after(() => replicas.stop());
    const requestOf = await requestsOf(replicas.stack);
    const result = await loadWhile({ gateways: replicas.gateways, rate, requestOf }, async () => {
      for (const index of [0, 1] as const) {
        for (const group of groups)
          await Promise.all(group.map((name) => replicas.replace(index, name)));
      }
    });
    const failures = result.failures.length;
    t.diagnostic(JSON.stringify({ ...result, failures }));
    assert.equal(failures, 0, [...result.failures.slice(0, 10), replicas.logs()].join('\n'));
    assert.ok(result.requests > 1000);
  });
}
