import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { startReplicas } from '../support/replicas.ts';
import { rowsOf } from '../support/store.ts';
import { deliver, makeEndpoint, type Owner } from './endpoints.ts';

// Two processes of notifications cache an endpoint. A change in one of them counts in both.

let run: Awaited<ReturnType<typeof startReplicas>>;
let owner: Owner;
before(async () => {
  run = await startReplicas('http');
  const { token } = await signUp(run.stack);
  owner = { stack: run.stack, token, tenant: await createTenant(run.stack, token) };
});
after(() => run?.stop());

/** Deliveries at once, which the balancer divides between both processes. */
const deliverMany = (id: string) =>
  Promise.all(Array.from({ length: 40 }, (_, n) => deliver(owner, id, `{"n":${n}}`)));

/** Makes deliveries until both processes use the cache: none sees a change past the service. */
const cacheInBoth = (id: string) =>
  eventually('both caches', async () => {
    const setActive = (active: boolean) =>
      rowsOf(run.stack, 'update notifications.webhook_endpoint set active = $2 where id = $1', [
        id,
        active,
      ]);
    await deliverMany(id);
    await setActive(false);
    const results = await deliverMany(id);
    await setActive(true);
    return results.every(({ Status }) => Status === 'delivered');
  });

test('no process signs with a former secret after the reply to a rotation', async () => {
  const { id } = await makeEndpoint(owner, 'shared');
  for (let round = 0; round < 3; round++) {
    await cacheInBoth(id);
    const { status, body } = await run.stack.call(
      'Webhooks_RotateSecret',
      { Tenant: owner.tenant, ID: id, GraceSeconds: 0 },
      owner.token,
    );
    assert.equal(status, 200, JSON.stringify(body));
    const { length } = await deliverMany(id);
    const requests = await caughtBy(run.stack, 'shared', String(body['Secret']));
    const newest = requests.slice(0, length).map((request) => request.StandardWebhooksValid);
    assert.deepEqual(
      newest,
      Array.from({ length }, () => true),
    );
  }
});
