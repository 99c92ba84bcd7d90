import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import type { Entry } from '../access/audit-entries.ts';
import {
  type Endpoint,
  type Endpoints,
  endpointIn,
  missing,
  nameRequired,
  startEndpoints,
  urlRequired,
} from './endpoint-calls.ts';

describeOne('updates of webhook endpoints', 'one process', (topology) => {
  let suite: Endpoints;
  before(async () => {
    suite = await startEndpoints(topology);
  });
  after(() => suite?.stop());

  test('Webhooks_UpdateEndpoint reports a missing ID, name and URL together', async () => {
    const { stack, ada, tenantOf, sample, update, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const { ID } = await newEndpoint(sample(Tenant));
    for (const body of [{}, { Endpoint: {} }, { Endpoint: { Tenant, ID: '', Name: null } }]) {
      assertRefused(
        await stack.call('Webhooks_UpdateEndpoint', body, ada.token),
        400,
        'invalid_argument',
        ['endpoint id is required', nameRequired, urlRequired],
      );
    }
    assertRefused(await update({ ...sample(Tenant) }), 400, 'invalid_argument', [
      'endpoint id is required',
    ]);
    assertRefused(await update({ ...sample(Tenant), ID, Name: '' }), 400, 'invalid_argument', [
      'endpoint name is required',
    ]);
    assertRefused(await update({ ...sample(Tenant), ID, URL: '' }), 400, 'invalid_argument', [
      'endpoint url is required',
    ]);
    assertRefused(await update({ ...sample(Tenant), ID: Tenant }), 400, 'invalid_argument', [
      'Endpoint.ID must be an identifier that begins with whk_',
    ]);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), [
      'webhook_endpoint.created',
    ]);
  });

  test('Webhooks_UpdateEndpoint replaces name and URL and keeps absent fields', async () => {
    const { stack, ada, tenantOf, sample, update, newEndpoint, stored } = suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint({ ...sample(Tenant), Description: 'first', RateLimit: 5 });
    const paused = recordIn(
      await update({
        ID: created.ID,
        Name: 'New',
        URL: `${stack.inboxUrl}/hooks/new`,
        Active: false,
        DekID: 7,
        SecretEnc: {},
      }),
      'Endpoint',
    ) as Endpoint;
    assert.deepEqual(
      { ...paused, UpdatedAt: '' },
      { ...created, Name: 'New', URL: `${stack.inboxUrl}/hooks/new`, Active: false, UpdatedAt: '' },
    );
    for (const Active of [undefined, null]) {
      const { Active: still } = recordIn(
        await update({ ID: created.ID, Name: 'Newer', URL: created.URL, Active }),
        'Endpoint',
      ) as Endpoint;
      assert.equal(still, false);
    }
    assert.deepEqual(await stored(created.ID), [
      { name: 'Newer', url: created.URL, active: false, event_types: ['nothing.at_all'] },
    ]);
    const last = recordIn(
      await update({
        ID: created.ID,
        Name: 'Newer',
        URL: created.URL,
        Active: true,
        EventTypes: [],
        Description: '',
      }),
      'Endpoint',
    ) as object;
    assert.deepEqual(
      { ...last, UpdatedAt: '' },
      { ...created, Name: 'Newer', EventTypes: [], Description: '', UpdatedAt: '' },
    );
    const updates = (await eventsOf(stack, 'notifications', Tenant)).filter(
      ({ type }) => type === 'webhook_endpoint.updated',
    );
    assert.deepEqual(updates.at(-1)?.previous, {
      Active: false,
      EventTypes: ['nothing.at_all'],
      Description: 'first',
    });
    assert.deepEqual(updates.at(-1)?.data, last);
  });

  test('a secret in a webhook URL is in no event and no audit entry', async () => {
    const { stack, ada, tenantOf, sample, update, read, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const secrets = ['first-secret', 'second-secret', 'third-secret-in-the-path'];
    const [first, second, third] = [
      `${stack.inboxUrl}/hooks/masked?key=${secrets[0]}`,
      `${stack.inboxUrl}/hooks/masked?key=${secrets[1]}`,
      `${stack.inboxUrl}/hooks/${secrets[2]}`,
    ];
    const created = await newEndpoint({ ...sample(Tenant), URL: first });
    for (const URL of [second, third]) bodyOf(await update({ ...created, URL }));
    const stored = recordIn(await read(Tenant, created.ID), 'Endpoint') as Endpoint;
    assert.equal(stored.URL, third, 'the API returns the whole URL');
    for (const operation of [
      'Webhooks_RotateSecret',
      'Webhooks_SendTest',
      'Webhooks_DeleteEndpoint',
    ])
      bodyOf(await stack.call(operation, { Tenant, ID: created.ID }, ada.token));

    const masked = `${stack.inboxUrl}/hooks/masked?…`;
    const events = await eventsOf(stack, 'notifications', Tenant);
    assert.deepEqual(
      events
        .filter(({ type }) => type === 'webhook_endpoint.updated')
        .map(({ data, previous }) => [(data as Endpoint).URL, previous?.['URL']]),
      [
        [masked, masked],
        [`${stack.inboxUrl}/hooks/…`, masked],
      ],
      'a change of the query alone is an event too',
    );
    const entries = await eventually('the deletion in the audit', async () => {
      const { items } = await readList<Entry>(stack, 'Audit_List', { Tenant }, ada.token, 200);
      return items.some(({ Action }) => Action === 'webhook_endpoint.deleted') ? items : undefined;
    });
    const visible = JSON.stringify([events, entries]);
    for (const secret of secrets) assert.ok(!visible.includes(secret), secret);
  });

  test('Webhooks_UpdateEndpoint with the record as it was read changes nothing and publishes no event', async () => {
    const { stack, ada, tenantOf, sample, update, read, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint({ ...sample(Tenant), Description: 'first', RateLimit: 5 });
    const [before] = await rowsOf(
      stack,
      'select * from notifications.webhook_endpoint where id = $1',
      [created.ID],
    );
    const answer = await update(recordIn(await read(Tenant, created.ID), 'Endpoint') as Endpoint);
    assert.deepEqual(bodyOf(answer), { Endpoint: created });
    assert.deepEqual(
      await rowsOf(stack, 'select * from notifications.webhook_endpoint where id = $1', [
        created.ID,
      ]),
      [before],
    );
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), [
      'webhook_endpoint.created',
    ]);
  });

  test('Webhooks_UpdateEndpoint of a foreign endpoint answers like a missing one', async () => {
    const { stack, ada, bob, tenantOf, sample, update, read, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const [own, other] = [await tenantOf(bob), await tenantOf(ada)];
    const created = await newEndpoint(sample(Tenant));
    const stranger = await signUp(stack);
    const change = { Name: 'Hijacked', URL: `${stack.inboxUrl}/hooks/hijacked` };
    for (const { token } of [bob, stranger]) {
      const [foreign, unknown] = [
        await update({ ID: created.ID, ...change }, token),
        await update({ ID: missing, ...change }, token),
      ];
      for (const answer of [foreign, unknown])
        assertRefused(answer, 400, 'not_found', ['endpoint not found']);
      assert.deepEqual({ ...foreign.body, RequestID: '' }, { ...unknown.body, RequestID: '' });
      assertRefused(
        await update({ ID: created.ID, Tenant, ...change }, token),
        403,
        'permission_denied',
      );
    }
    // With a tenant that does not have the endpoint, also by a caller with rights in both tenants.
    assertRefused(
      await update({ ID: created.ID, Tenant: own, ...change }, bob.token),
      400,
      'not_found',
    );
    assertRefused(await update({ ID: created.ID, Tenant: other, ...change }), 400, 'not_found');
    for (const tenant of [own, other])
      assertRefused(
        await read(tenant, created.ID, tenant === own ? bob.token : ada.token),
        400,
        'not_found',
      );
    assert.deepEqual(endpointIn(await read(Tenant, created.ID)), created);
    assert.equal(
      (
        recordIn(
          await update({ ID: created.ID, ...change }, stack.platformKey),
          'Endpoint',
        ) as Endpoint
      ).Name,
      'Hijacked',
    );
  });
});
