import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { Webhook } from 'standardwebhooks';
import { Stripe } from 'stripe';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { type Caught, caughtBy as caughtByHook, createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

describeOne('webhook deliveries', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  let tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ token } = await signUp(stack));
    tenant = await createTenant(stack, token);
  });
  after(() => stack?.stop());

  // Other files use the same inbox.
  const caughtBy = (_: Stack, hook: string, secret?: string) =>
    caughtByHook(stack, `webhooks-${hook}`, secret);
  async function createEndpoint(
    hook: string,
    more: Record<string, unknown> = {},
  ): Promise<{ id: string; secret: string }> {
    const { status, body } = await stack.call(
      'Webhooks_CreateEndpoint',
      {
        Endpoint: {
          Tenant: tenant,
          Name: hook,
          URL: `${stack.inboxUrl}/hooks/webhooks-${hook}`,
          ...more,
        },
      },
      token,
    );
    assert.equal(status, 200, JSON.stringify(body));
    return { id: (body['Endpoint'] as { ID: string }).ID, secret: String(body['Secret']) };
  }

  const deliver = (endpoint: string, body: Uint8Array | string, type = 'test.sent') =>
    stack.call(
      'Webhooks_Deliver',
      {
        Tenant: tenant,
        Endpoint: endpoint,
        Type: type,
        Body: Buffer.from(body).toString('base64'),
      },
      stack.workerToken,
    );

  const caught = async (hook: string, secret = ''): Promise<Caught> =>
    eventually(`a request at ${hook}`, async () => (await caughtBy(stack, hook, secret))[0]);

  test('Webhooks_Deliver sends the body byte for byte, and the stock verifiers accept both signatures', async () => {
    const { id, secret } = await createEndpoint('stock', { EventTypes: ['none.of.these'] });
    const bodies = [
      '{"id":"evt_1","a":1}',
      '{ "spaced" : "ünïcödé 🦉" }',
      'not json',
      Buffer.from([0, 255, 1, 254]),
      '[]',
    ];
    for (const body of bodies) {
      const answer = await deliver(id, body);
      const task = answer.body['Task'] as {
        Status: string;
        StatusCode: number;
        ID: string;
        Attempt: number;
      };
      assert.equal(task.Status, 'delivered', JSON.stringify(answer.body));
      assert.equal(task.StatusCode, 200);
      const request = await caught('stock', secret);
      const raw = Buffer.from(request.BodyBase64, 'base64');
      assert.deepEqual(raw, Buffer.from(body));
      assert.equal(request.Headers['content-type'], 'application/json');
      assert.equal(request.Headers['x-webhook-event'], 'test.sent');
      assert.equal(request.Headers['x-webhook-endpoint'], id);
      assert.equal(request.Headers['webhook-id'], task.ID);
      assert.ok(request.SignatureValid && request.StandardWebhooksValid);
      // The stock verifiers accept text only.
      if (typeof body === 'string') assertStockVerifiers(raw, request.Headers, secret);
    }
  });

  test('a signature is invalid for another secret or a changed body', async () => {
    const { id, secret } = await createEndpoint('forged', { EventTypes: ['none.of.these'] });
    const other = await createEndpoint('forged-other', { EventTypes: ['none.of.these'] });
    await deliver(id, '{"amount":1}');
    const { Headers } = await caught('forged', secret);
    assertStockVerifiers(Buffer.from('{"amount":1}'), Headers, secret);
    assert.throws(() => assertStockVerifiers(Buffer.from('{"amount":2}'), Headers, secret));
    assert.throws(() => assertStockVerifiers(Buffer.from('{"amount":1}'), Headers, other.secret));
  });

  test('a failed delivery is retried with the same webhook-id and a fresh signature', async () => {
    const { secret } = await createEndpoint('flaky?status=503&times=2', {
      EventTypes: ['group.created'],
    });
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'flaky' } }, token);
    const requests = await eventually('three attempts', async () => {
      const current = await caughtBy(stack, 'flaky', secret);
      return current.length >= 3 && current;
    });
    assert.equal(new Set(requests.map(({ Headers }) => Headers['webhook-id'])).size, 1);
    assert.deepEqual(requests.map(({ Headers }) => Headers['x-webhook-attempt']).toReversed(), [
      '1',
      '2',
      '3',
    ]);
    assert.ok(
      requests.every(
        ({ SignatureValid, StandardWebhooksValid }) => SignatureValid && StandardWebhooksValid,
      ),
    );
  });

  test('an endpoint gets the event types it subscribes to, but not its own lifecycle events', async () => {
    await createEndpoint('picky', { EventTypes: ['group.*'] });
    const all = await createEndpoint('everything');
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'picked' } }, token);
    const other = await createEndpoint('somebody-else', { EventTypes: ['none.of.these'] });
    const typesAt = async (hook: string) =>
      (await caughtBy(stack, hook)).map(({ Body }) => (JSON.parse(Body) as { type: string }).type);
    const groupIds = async () =>
      (await caughtBy(stack, 'everything')).map(
        ({ Body }) => (JSON.parse(Body) as { data: { ID: string } }).data.ID,
      );
    await eventually(
      'both events',
      async () =>
        (await groupIds()).includes(other.id) &&
        (await typesAt('everything')).includes('group.created'),
    );
    // Fan-out runs after the change, so the first endpoint's event may reach the second endpoint.
    assert.deepEqual([...new Set(await typesAt('everything'))].sort(), [
      'group.created',
      'webhook_endpoint.created',
    ]);
    assert.deepEqual(await typesAt('picky'), ['group.created']);
    assert.ok(!(await groupIds()).includes(all.id));
  });

  test('an inactive or deleted endpoint gets no events', async () => {
    const { id } = await createEndpoint('gone', { EventTypes: ['group.created'] });
    const { body } = await stack.call('Webhooks_GetEndpoint', { Tenant: tenant, ID: id }, token);
    await stack.call(
      'Webhooks_UpdateEndpoint',
      { Endpoint: { ...(body['Endpoint'] as object), Active: false } },
      token,
    );
    await stack.call('Groups_Save', { Group: { Tenant: tenant, Path: 'missed' } }, token);
    const [unsent] = await eventually('the row of the event', async () => {
      const list = { Tenant: tenant, Endpoint: id };
      const { body: answer } = await stack.call('Webhooks_ListAttempts', list, token);
      const { Items } = answer['Page'] as { Items: Array<Record<string, unknown>> };
      return Items.length === 1 && Items;
    });
    assert.deepEqual(
      ['EventType', 'Status', 'StatusCode', 'Error', 'Message'].map((field) => unsent?.[field]),
      ['group.created', 'dropped', 0, 'endpoint_inactive', 'not sent: the endpoint is inactive'],
    );
    const statusOf = async () =>
      (await deliver(id, '{}')).body['Task'] as { Status: string; Error: string };
    assert.deepEqual(pick(await statusOf()), { Status: 'dropped', Error: 'endpoint_inactive' });
    await stack.call('Webhooks_DeleteEndpoint', { Tenant: tenant, ID: id }, token);
    assert.deepEqual(pick(await statusOf()), { Status: 'dropped', Error: 'endpoint_not_found' });
    assert.deepEqual(
      pick(
        (await deliver(createId('whk'), '{}')).body['Task'] as { Status: string; Error: string },
      ),
      {
        Status: 'dropped',
        Error: 'endpoint_not_found',
      },
    );
    assert.deepEqual(await caughtBy(stack, 'gone'), []);
  });

  test('410 disables the endpoint', async () => {
    const { id } = await createEndpoint('retired?status=410', { EventTypes: ['none.of.these'] });
    const task = (await deliver(id, '{}')).body['Task'] as { Status: string; Error: string };
    assert.equal(task.Status, 'failed');
    assert.equal(task.Error, 'http_status');
    const { body } = await stack.call('Webhooks_GetEndpoint', { Tenant: tenant, ID: id }, token);
    const endpoint = body['Endpoint'] as {
      Active: boolean;
      DisabledReason: string;
      DisabledAt: string;
    };
    assert.equal(endpoint.Active, false);
    assert.ok(endpoint.DisabledReason !== '' && endpoint.DisabledAt !== undefined);
  });
});

const pick = ({ Status, Error }: { Status: string; Error: string }) => ({ Status, Error });

function assertStockVerifiers(raw: Buffer, headers: Record<string, string>, secret: string): void {
  Stripe.webhooks.signature?.verifyHeader(raw, headers['x-webhook-signature'] ?? '', secret, 300);
  // The stock verifier parses JSON after it has verified the signature. Other bodies fail there.
  try {
    new Webhook(secret).verify(raw, headers);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}
