import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import {
  assertRefused,
  bodyOf,
  readList,
  recordIn,
  retryWhileBusy,
} from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf, dumpOf, eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import {
  type Endpoint,
  type Endpoints,
  endpointIn,
  missing,
  nameRequired,
  startEndpoints,
  urlRequired,
  withoutHealth,
} from './endpoint-calls.ts';

describeOne('webhook endpoints', 'one process', (topology) => {
  let suite: Endpoints;
  before(async () => {
    suite = await startEndpoints(topology);
  });
  after(() => suite?.stop());

  test('Webhooks_CreateEndpoint assigns the ID, sets Active and ignores the fields that the service manages, of any type', async () => {
    const { stack, ada, tenantOf, sample, create, read } = suite;
    const Tenant = await tenantOf(ada);
    const managed: object[] = [
      {
        ID: missing,
        Active: false,
        DekID: 'dek_01hzzzzzzzzzzzzzzzzzzzzzzz',
        SecretEnc: 'bWluZQ==',
        DisabledReason: 'mine',
      },
      { ID: 'not an id', Active: null, DekID: 7, SecretEnc: 'not base64!', DisabledReason: [] },
      {
        ID: {},
        DekID: [{}],
        SecretEnc: { a: 1 },
        CreatedAt: 'never',
        UpdatedAt: 7,
        DisabledAt: true,
        Secret: 'whsec_mine',
      },
    ];
    for (const fields of managed) {
      const answer = await create({ ...sample(Tenant), ...fields }, ada.token, {
        Secret: 'whsec_mine',
      });
      const endpoint = recordIn(answer, 'Endpoint') as Endpoint & { DisabledReason: string };
      assert.match(endpoint.ID, /^whk_[0-7][0-9a-z]{25}$/);
      assert.notEqual(endpoint.ID, missing);
      assert.deepEqual(
        [endpoint.Active, endpoint.SecretEnc, endpoint.DisabledReason],
        [true, '', ''],
      );
      assert.match(String(answer.body['Secret']), /^whsec_[A-Za-z0-9+/]{43}=$/);
      const [row] = await rowsOf<{ dek_id: string; active: boolean; secret_enc: Buffer }>(
        stack,
        'select dek_id, active, secret_enc from notifications.webhook_endpoint where tenant = $1 and id = $2',
        [Tenant, endpoint.ID],
      );
      assert.equal(row?.active, true);
      assert.ok(row.secret_enc.length > 40 && !row.secret_enc.includes('mine'));
      assert.equal(
        await countOf(stack, 'notifications.dek where tenant = $1 and id = $2', [
          Tenant,
          row.dek_id,
        ]),
        1,
        'sealed with a data key of the tenant',
      );
      assert.equal(endpoint.DekID, row.dek_id);
      assert.deepEqual(endpointIn(await read(Tenant, endpoint.ID)), endpoint);
    }
  });

  test('the signing secret is in the answer of Webhooks_CreateEndpoint and nowhere else', async () => {
    const { stack, ada, tenantOf, sample, create, update, read } = suite;
    const Tenant = await tenantOf(ada);
    const created = await create(sample(Tenant));
    const secret = String(created.body['Secret']);
    const { ID } = recordIn(created, 'Endpoint') as Endpoint;
    const later = [
      await read(Tenant, ID),
      await stack.call('Webhooks_ListEndpoints', { Tenant }, ada.token),
      await update({ ...sample(Tenant), ID, Name: 'Other' }),
    ];
    const events = await eventsOf(stack, 'notifications', Tenant);
    assert.deepEqual(
      events.map(({ type }) => type),
      ['webhook_endpoint.created', 'webhook_endpoint.updated'],
    );
    const dump = `${await dumpOf(stack, 'notifications')}\n${await dumpOf(stack, 'access')}`;
    assert.ok(dump.includes(ID), 'the dump contains the endpoint');
    assert.ok(
      stack.logOf('notifications').includes('Webhooks_CreateEndpoint'),
      'the log contains the call',
    );
    const places = [
      ...later.map((answer) => JSON.stringify(bodyOf(answer))),
      JSON.stringify(events),
      dump,
      stack.logOf('notifications'),
      stack.logOf('gateway'),
    ];
    const key = secret.slice('whsec_'.length);
    const forms = [
      secret,
      key,
      Buffer.from(secret).toString('hex'),
      Buffer.from(key, 'base64').toString('hex'),
      Buffer.from(secret).toString('base64'),
    ];
    for (const [index, place] of places.entries())
      for (const form of forms) assert.ok(!place.includes(form), `place ${index} holds ${form}`);
    for (const answer of later) assert.ok(!('Secret' in answer.body));
    const again = await create(sample(Tenant));
    assert.notEqual(again.body['Secret'], secret);
  });

  test('Webhooks_CreateEndpoint reports a missing name and a missing URL, each alone and both together', async () => {
    const { stack, ada, tenantOf, sample, create } = suite;
    const Tenant = await tenantOf(ada);
    for (const empty of [{}, { Name: '', URL: '' }, { Name: null, URL: null }])
      assertRefused(await create({ Tenant, ...empty }), 400, 'invalid_argument', [
        nameRequired,
        urlRequired,
      ]);
    assertRefused(await create({ ...sample(Tenant), Name: '' }), 400, 'invalid_argument', [
      'endpoint name is required',
    ]);
    assertRefused(await create({ ...sample(Tenant), URL: '' }), 400, 'invalid_argument', [
      'endpoint url is required',
    ]);
    for (const body of [{}, { Endpoint: null }]) {
      assertRefused(
        await stack.call('Webhooks_CreateEndpoint', body, stack.platformKey),
        400,
        'invalid_argument',
        [nameRequired, urlRequired, 'Tenant is required'],
      );
    }
    assert.equal(
      await countOf(stack, 'notifications.webhook_endpoint where tenant = $1', [Tenant]),
      0,
    );
  });

  test('Webhooks_ListEndpoints requires a Tenant and pages through its endpoints', async () => {
    const { stack, ada, tenantOf, sample, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    for (const body of [{}, { Tenant: '' }, { Tenant: null }, { Page: { Limit: 1 } }]) {
      assertRefused(
        await stack.call('Webhooks_ListEndpoints', body, ada.token),
        400,
        'invalid_argument',
        ['Tenant is required'],
      );
    }
    const endpoints: Endpoint[] = [];
    for (let index = 0; index < 5; index++)
      endpoints.push(await newEndpoint({ ...sample(Tenant), Name: `Number ${index}` }));
    const { items, sizes } = await readList<Endpoint>(
      stack,
      'Webhooks_ListEndpoints',
      { Tenant },
      ada.token,
      2,
    );
    assert.deepEqual(sizes, [2, 2, 1]);
    assert.deepEqual(
      items.map(withoutHealth),
      endpoints.sort((a, b) => (a.ID < b.ID ? -1 : 1)),
    );
  });

  test('a member without the permission neither reads nor changes endpoints', async () => {
    const { stack, ada, bob, tenantOf, sample, create, update, read, remove, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint(sample(Tenant));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: bob.id }, stack.platformKey));
    for (const answer of [
      await read(Tenant, created.ID, bob.token),
      await remove(Tenant, created.ID, bob.token),
      await create(sample(Tenant), bob.token),
    ]) {
      assertRefused(answer, 403, 'permission_denied');
    }
    assertRefused(
      await update({ ID: created.ID, Name: 'a', URL: created.URL }, bob.token),
      400,
      'not_found',
    );
    assert.deepEqual(endpointIn(await read(Tenant, created.ID)), created);
  });

  test('Webhooks_DeleteEndpoint removes the endpoint, repeats without an event, and reaches no other tenant', async () => {
    const { stack, ada, tenantOf, sample, update, read, remove, newEndpoint, stored } = suite;
    const [Tenant, other] = [await tenantOf(ada), await tenantOf(ada)];
    const [first, second] = [await newEndpoint(sample(Tenant)), await newEndpoint(sample(other))];
    assert.deepEqual(bodyOf(await remove(Tenant, second.ID)), {});
    assert.deepEqual(endpointIn(await read(other, second.ID)), second);
    for (let times = 0; times < 2; times++)
      assert.deepEqual(bodyOf(await remove(Tenant, first.ID)), {});
    assertRefused(await read(Tenant, first.ID), 400, 'not_found');
    assertRefused(await update({ ...first }), 400, 'not_found');
    assert.deepEqual(await stored(first.ID), []);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), [
      'webhook_endpoint.created',
      'webhook_endpoint.deleted',
    ]);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', other), [
      'webhook_endpoint.created',
    ]);
  });

  test('Webhooks_CreateEndpoint allows fifty per tenant, even for concurrent calls', async () => {
    const { stack, ada, tenantOf, sample, create, remove } = suite;
    const Tenant = await tenantOf(ada);
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => retryWhileBusy(() => create(sample(Tenant)))),
    );
    const created = answers.filter(({ status }) => status === 200);
    assert.equal(created.length, 50);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assertRefused(answer, 400, 'failed_precondition', [
        'a tenant has at most 50 webhook endpoints',
      ]);
    }
    assert.equal(
      await countOf(stack, 'notifications.webhook_endpoint where tenant = $1', [Tenant]),
      50,
    );
    assert.equal(
      await countOf(stack, 'notifications.dek where tenant = $1', [Tenant]),
      1,
      'fifty concurrent calls create one data key',
    );
    bodyOf(
      await remove(Tenant, created[0] ? (recordIn(created[0], 'Endpoint') as Endpoint).ID : ''),
    );
    bodyOf(await create(sample(Tenant)));
    assertRefused(await create(sample(Tenant)), 400, 'failed_precondition');
    bodyOf(await create(sample(await tenantOf(ada))));
  });

  test('Webhooks_CreateEndpoint without a Tenant uses the caller’s only tenant', async () => {
    const { stack, tenantOf, sample, create, newEndpoint } = suite;
    const eve = await signUp(stack);
    const { Tenant: _, ...endpoint } = sample('');
    assertRefused(await create(endpoint, eve.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
    const only = await tenantOf(eve);
    for (const Tenant of [undefined, null, ''])
      assert.equal((await newEndpoint({ ...endpoint, Tenant }, eve.token)).Tenant, only);
    await tenantOf(eve);
    assertRefused(await create(endpoint, eve.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
    assert.equal(
      await countOf(stack, 'notifications.webhook_endpoint where tenant = $1', [only]),
      3,
    );
    assertRefused(await create(endpoint, stack.platformKey), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
  });
});
