import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bodyOf, recordIn } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { makeEndpoint, type Owner } from './endpoints.ts';
import { type Receiver, startReceiver } from './receiver.ts';

// The view of the owner of an endpoint that fails.

const settings = {
  BAILIWICK_RETRY_SCHEDULE: '0s,1h',
  BAILIWICK_BREAKER_PAUSES: '1h,1h',
};

type Health = {
  State: string;
  FailingSince?: string;
  PausedUntil?: string;
  Waiting: number;
  Attempts: number;
  SuccessPercent: number;
  LastError?: { StatusCode: number; Error: string; At: string };
};

describeOne('the health of endpoints', 'one process', (topology) => {
  let stack: Stack;
  let receiver: Receiver;
  let owner: Owner;
  before(async () => {
    stack = await startStack(topology, settings);
    receiver = await startReceiver();
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
    receiver.answer('/hostile', (_request, response) =>
      response.writeHead(503, { 'x-note': 'pwned' }).end('<script>pwned</script>'),
    );
  });
  after(async () => {
    await stack?.stop();
    await receiver?.stop();
  });

  const healthOf = async (ID: string): Promise<Health> => {
    const request = { Tenant: owner.tenant, ID };
    const endpoint = recordIn(
      await stack.call('Webhooks_GetEndpoint', request, owner.token),
      'Endpoint',
    ) as { Health: Health };
    return endpoint.Health;
  };
  const publish = async (Type: string, count = 1): Promise<void> => {
    const event = { Type, Body: Buffer.from('{}').toString('base64') };
    const request = { Tenant: owner.tenant, Events: Array.from({ length: count }, () => event) };
    bodyOf(await stack.call('Events_PublishBatch', request, owner.token));
  };
  const setActive = async (id: string, Active: boolean, URL: string) => {
    const Endpoint = { ID: id, Tenant: owner.tenant, Name: 'switched', URL, Active };
    return bodyOf(await stack.call('Webhooks_UpdateEndpoint', { Endpoint }, owner.token));
  };

  test('Webhooks_GetEndpoint says delivering, failing, paused and off, with the last error', async () => {
    const URL = receiver.url('/hostile');
    const { id } = await makeEndpoint(owner, 'hostile', { URL, EventTypes: ['report.made'] });
    assert.deepEqual(await healthOf(id), {
      State: 'delivering',
      Waiting: 0,
      Attempts: 0,
      SuccessPercent: 0,
    });

    await publish('report.made');
    const failing = await eventually('a failing endpoint', async () => {
      const health = await healthOf(id);
      return health.State === 'failing' && health.Waiting === 1 && health;
    });
    assert.equal(failing.LastError?.StatusCode, 503);
    assert.equal(failing.LastError?.Error, 'http_status');
    assert.deepEqual([failing.Attempts, failing.SuccessPercent], [1, 0]);
    assert.ok(Date.parse(failing.FailingSince ?? '') <= Date.now());
    assert.equal(JSON.stringify(failing).includes('pwned'), false);

    await publish('report.made', 12);
    const paused = await eventually('a paused endpoint', async () => {
      const health = await healthOf(id);
      return health.State === 'paused' && health.Waiting === 13 && health;
    });
    assert.ok(Date.parse(paused.PausedUntil ?? '') > Date.now());
    assert.ok(paused.FailingSince);

    // Records that are read can be saved again, and events have no health.
    await setActive(id, false, URL);
    const off = await healthOf(id);
    assert.equal(off.State, 'off');
    assert.equal(off.LastError?.StatusCode, 503);
    const rows = await rowsOf<{ event: string }>(
      stack,
      `select event from notifications.outbox where type = 'webhook_endpoint.updated' and for_tenant = $1`,
      [owner.tenant],
    );
    assert.ok(rows.length > 0);
    assert.ok(rows.every(({ event }) => !event.includes('"Health"')));
  });

  test('Webhooks_ListEndpoints has the same health as Webhooks_GetEndpoint, of each endpoint its own', async () => {
    const { id: well } = await makeEndpoint(owner, 'well', { EventTypes: ['report.read'] });
    await publish('report.read', 3);
    await eventually('three deliveries', async () => (await healthOf(well)).Attempts === 3);
    const { Items } = recordIn(
      await stack.call('Webhooks_ListEndpoints', { Tenant: owner.tenant }, owner.token),
      'Page',
    ) as { Items: Array<{ ID: string; Health: Health }> };
    assert.ok(Items.length >= 2);
    for (const { ID, Health } of Items) assert.deepEqual(Health, await healthOf(ID));
    const healthy = Items.find(({ ID }) => ID === well)?.Health;
    assert.deepEqual(healthy, {
      State: 'delivering',
      Waiting: 0,
      Attempts: 3,
      SuccessPercent: 100,
    });
  });

  test('a success ends the failure, and an endpoint of another tenant is not found', async () => {
    let code = 500;
    receiver.answer('/mending', (_request, response) => response.writeHead(code).end());
    const { id } = await makeEndpoint(owner, 'mending', {
      URL: receiver.url('/mending'),
      EventTypes: ['report.sent'],
    });
    await publish('report.sent');
    await eventually('a failure', async () => (await healthOf(id)).State === 'failing');
    code = 200;
    await publish('report.sent');
    const mended = await eventually('a success', async () => {
      const health = await healthOf(id);
      return health.State === 'delivering' && health.Attempts === 2 && health;
    });
    assert.equal(mended.LastError, undefined);
    assert.equal(mended.SuccessPercent, 50);

    const other = await signUp(stack);
    const tenant = await createTenant(stack, other.token);
    const foreign = await stack.call(
      'Webhooks_GetEndpoint',
      { Tenant: tenant, ID: id },
      other.token,
    );
    assert.equal(foreign.body.Code, 'not_found');
  });
});
