import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { eventsOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import {
  type ChatEndpoint,
  type ChatEndpoints,
  endpointIn,
  missingChat,
  nameRequired,
  startChatEndpoints,
} from './endpoint-calls.ts';

describeOne('updates of chat endpoints', 'one process', (topology) => {
  let suite: ChatEndpoints;
  before(async () => {
    suite = await startChatEndpoints(topology);
  });
  after(() => suite?.stop());

  test('Chat_CreateEndpoint and Chat_UpdateEndpoint refuse a URL that Bailiwick must not call', async () => {
    const { stack, ada, tenantOf, sample, create, update, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const { ID } = await newEndpoint(sample(Tenant));
    const refused: ReadonlyArray<readonly [string, string]> = [
      ['nonsense', 'URL must be a URL'],
      ['http://hooks.slack.com/services/T0/B0/xyz', 'URL must begin with https://'],
      ['https://user:secret@hooks.slack.com/x', 'URL must not contain a user name or password'],
      ['https://10.0.0.1/hooks/x', 'URL must be a public address'],
      ['https://chat.svc/hooks/x', 'URL must be a public address'],
      ['https://hooks.slack.com:22/x', 'URL must use a port that is allowed for receivers'],
    ];
    for (const [url, message] of refused) {
      assertRefused(await create(sample(Tenant), url), 400, 'invalid_argument', [message]);
      assertRefused(
        await update({ ...sample(Tenant), ID, Name: 'changed' }, url),
        400,
        'invalid_argument',
        [message],
      );
    }
    assertRefused(await create(sample(Tenant), 7), 400, 'invalid_argument');
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), ['chat_endpoint.created']);
  });

  test('Chat_UpdateEndpoint reports a missing ID and name, each alone and both together, and needs no URL', async () => {
    const { stack, ada, tenantOf, sample, update, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const { ID } = await newEndpoint(sample(Tenant));
    for (const body of [
      {},
      { Endpoint: {} },
      { Endpoint: { Tenant, ID: '', Name: null }, URL: null },
    ]) {
      assertRefused(
        await stack.call('Chat_UpdateEndpoint', body, ada.token),
        400,
        'invalid_argument',
        ['endpoint id is required', nameRequired],
      );
    }
    assertRefused(await update(sample(Tenant)), 400, 'invalid_argument', [
      'endpoint id is required',
    ]);
    assertRefused(await update({ ...sample(Tenant), ID, Name: '' }), 400, 'invalid_argument', [
      nameRequired,
    ]);
    assertRefused(await update({ ...sample(Tenant), ID: Tenant }), 400, 'invalid_argument', [
      'Endpoint.ID must be an identifier that begins with slk_',
    ]);
    for (const URL of ['', null, undefined])
      bodyOf(
        await stack.call(
          'Chat_UpdateEndpoint',
          { Endpoint: { ID, Name: 'Operations' }, URL },
          ada.token,
        ),
      );
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), ['chat_endpoint.created']);
  });

  test('Chat_UpdateEndpoint replaces the name, keeps absent fields, and keeps the URL if it is empty', async () => {
    const { stack, ada, tenantOf, sample, update, newEndpoint, stored } = suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint({ ...sample(Tenant), Description: 'first' });
    const sealed = await stored(created.ID);
    const paused = recordIn(
      await update({
        ID: created.ID,
        Name: 'New',
        Active: false,
        DekID: 7,
        URLEnc: {},
      }),
      'Endpoint',
    ) as ChatEndpoint;
    assert.deepEqual(
      { ...paused, UpdatedAt: '' },
      { ...created, Name: 'New', Active: false, UpdatedAt: '' },
    );
    for (const Active of [undefined, null]) {
      const { Active: still } = recordIn(
        await update({ ID: created.ID, Name: 'Newer', Active }),
        'Endpoint',
      ) as ChatEndpoint;
      assert.equal(still, false);
    }
    assert.deepEqual((await stored(created.ID)).url_enc, sealed.url_enc);
    const last = recordIn(
      await update({
        ID: created.ID,
        Name: 'Newer',
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
      ({ type }) => type === 'chat_endpoint.updated',
    );
    assert.deepEqual(updates.at(-1)?.previous, {
      Active: false,
      EventTypes: ['nothing.at_all'],
      Description: 'first',
    });
    assert.deepEqual(updates.at(-1)?.data, last);
  });

  test('Chat_UpdateEndpoint seals a new URL, and its event shows only that it changed', async () => {
    const { stack, ada, tenantOf, sample, update, newEndpoint, stored } = suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint(sample(Tenant));
    const before = await stored(created.ID);
    const answer = recordIn(
      await update(
        { ID: created.ID, Name: 'Operations' },
        'https://hooks.slack.com/services/T0/B0/xyz',
      ),
      'Endpoint',
    ) as ChatEndpoint;
    assert.deepEqual({ ...answer, UpdatedAt: '' }, { ...created, Kind: 'slack', UpdatedAt: '' });
    assert.ok(answer.UpdatedAt >= created.UpdatedAt);
    assert.notDeepEqual((await stored(created.ID)).url_enc, before.url_enc);
    // For a new URL of the same kind, the event is the only visible change.
    bodyOf(
      await update(
        { ID: created.ID, Name: 'Operations' },
        'https://hooks.slack.com/services/T0/B0/abc',
      ),
    );
    const events = await eventsOf(stack, 'notifications', Tenant);
    assert.deepEqual(
      events.map(({ type, previous }) => ({ type, previous })),
      [
        { type: 'chat_endpoint.created', previous: {} },
        { type: 'chat_endpoint.updated', previous: { Kind: 'generic', URLEnc: '' } },
        { type: 'chat_endpoint.updated', previous: { URLEnc: '' } },
      ],
    );
    assert.equal(events.at(-1)?.data['URLEnc'], '');
    const entry = await eventually('the audit entry', async () => {
      const list = recordIn(await stack.call('Audit_List', { Tenant }, ada.token), 'Page') as {
        Items: Array<{ Action: string; Changes: object[] }>;
      };
      return list.Items.find(
        ({ Action, Changes }) => Action === 'chat_endpoint.updated' && Changes.length === 1,
      );
    });
    assert.equal((entry.Changes[0] as { Field: string }).Field, 'URLEnc');
  });

  test('Chat_UpdateEndpoint with the record as it was read changes nothing and publishes no event', async () => {
    const { stack, ada, tenantOf, sample, update, read, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint({ ...sample(Tenant), Description: 'first' });
    const rows = () =>
      rowsOf(stack, 'select * from notifications.chat_endpoint where id = $1', [created.ID]);
    const before = await rows();
    assert.deepEqual(
      bodyOf(await update(recordIn(await read(Tenant, created.ID), 'Endpoint') as ChatEndpoint)),
      { Endpoint: created },
    );
    assert.deepEqual(await rows(), before);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), ['chat_endpoint.created']);
  });

  test('Chat_UpdateEndpoint of a foreign endpoint answers like a missing one', async () => {
    const { stack, ada, bob, tenantOf, sample, hook, update, read, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const [own, other] = [await tenantOf(bob), await tenantOf(ada)];
    const created = await newEndpoint(sample(Tenant));
    const stranger = await signUp(stack);
    const hijacked = hook('hijacked');
    for (const { token } of [bob, stranger]) {
      const [foreign, unknown] = [
        await update({ ID: created.ID, Name: 'Hijacked' }, hijacked, token),
        await update({ ID: missingChat, Name: 'Hijacked' }, hijacked, token),
      ];
      for (const answer of [foreign, unknown])
        assertRefused(answer, 400, 'not_found', ['endpoint not found']);
      assert.deepEqual({ ...foreign.body, RequestID: '' }, { ...unknown.body, RequestID: '' });
      assertRefused(
        await update({ ID: created.ID, Tenant, Name: 'Hijacked' }, hijacked, token),
        403,
        'permission_denied',
      );
    }
    // With a tenant that does not have the endpoint, also by a caller with rights in both tenants.
    assertRefused(
      await update({ ID: created.ID, Tenant: own, Name: 'Hijacked' }, hijacked, bob.token),
      400,
      'not_found',
    );
    assertRefused(
      await update({ ID: created.ID, Tenant: other, Name: 'Hijacked' }, hijacked),
      400,
      'not_found',
    );
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
          await update({ ID: created.ID, Name: 'Moved' }, '', stack.platformKey),
          'Endpoint',
        ) as ChatEndpoint
      ).Name,
      'Moved',
    );
  });
});
