import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import {
  assertRefused,
  bodyOf,
  readList,
  recordIn,
  retryWhileBusy,
} from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf, dumpOf, eventsOf, eventTypesOf, textBelow } from '../../support/store.ts';
import {
  type ChatEndpoint,
  type ChatEndpoints,
  endpointIn,
  missingChat,
  nameRequired,
  startChatEndpoints,
  urlRequired,
  withoutHealth,
} from './endpoint-calls.ts';

describeOne('chat endpoints', 'one process', (topology) => {
  let suite: ChatEndpoints;
  before(async () => {
    suite = await startChatEndpoints(topology);
  });
  after(() => suite?.stop());

  test('Chat_CreateEndpoint assigns the ID, sets Active and ignores the fields that the service manages, of any type', async () => {
    const { stack, ada, tenantOf, sample, hook, create, read, stored } = suite;
    const Tenant = await tenantOf(ada);
    const managed: object[] = [
      {
        ID: missingChat,
        Active: false,
        DekID: 'dek_01hzzzzzzzzzzzzzzzzzzzzzzz',
        URLEnc: 'bWluZQ==',
        DisabledReason: 'mine',
      },
      {
        ID: 'not an id',
        Active: null,
        DekID: 7,
        URLEnc: 'not base64!',
        DisabledReason: [],
      },
      { ID: {}, DekID: [{}], URLEnc: { a: 1 }, CreatedAt: 'never', UpdatedAt: 7, DisabledAt: true },
    ];
    for (const fields of managed) {
      const endpoint = recordIn(
        await create({ ...sample(Tenant), ...fields }, hook(), ada.token),
        'Endpoint',
      ) as ChatEndpoint;
      assert.match(endpoint.ID, /^slk_[0-7][0-9a-z]{25}$/);
      assert.notEqual(endpoint.ID, missingChat);
      assert.deepEqual([endpoint.Active, endpoint.URLEnc, endpoint.Kind], [true, '', 'generic']);
      assert.ok(!('URL' in endpoint));
      const row = await stored(endpoint.ID);
      assert.deepEqual([row.active, row.kind, row.dek_id], [true, 'generic', endpoint.DekID]);
      assert.ok(
        row.url_enc.length > hook().length &&
          !row.url_enc.includes('hooks') &&
          !row.url_enc.includes('mine'),
      );
      assert.equal(
        await countOf(stack, 'notifications.dek where tenant = $1 and id = $2', [
          Tenant,
          row.dek_id,
        ]),
        1,
        'sealed with a data key of the tenant',
      );
      assert.deepEqual(endpointIn(await read(Tenant, endpoint.ID)), endpoint);
    }
  });

  test('Chat_CreateEndpoint sets the kind from the URL', async () => {
    const { ada, tenantOf, sample, hook, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    const urls: ReadonlyArray<readonly [string, string]> = [
      ['slack', 'https://hooks.slack.com/services/T0/B0/xyz'],
      ['discord', 'https://discord.com/api/webhooks/1/xyz'],
      ['mattermost', hook('abcdefghijklmnopqrstuvwxyz')],
    ];
    for (const [kind, url] of urls)
      assert.equal((await newEndpoint(sample(Tenant), url)).Kind, kind);
  });

  test('the URL is not in any answer, event, table, log or broker file', async () => {
    const { stack, ada, tenantOf, sample, hook, create, update, read, remove } = suite;
    const Tenant = await tenantOf(ada);
    const [first, second] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
    const created = await create({ ...sample(Tenant), EventTypes: ['group.created'] }, hook(first));
    const { ID } = recordIn(created, 'Endpoint') as ChatEndpoint;
    const answers = [
      created,
      await update({ ...sample(Tenant), ID, EventTypes: ['group.*'] }, hook(second)),
      await read(Tenant, ID),
    ];
    // A refused URL is a secret too.
    const refused = randomBytes(12).toString('hex');
    const attempts = [
      await create(sample(Tenant), `http://10.0.0.1/${refused}`),
      await update({ ...sample(Tenant), ID }, `https://chat.svc/${refused}`),
    ];
    for (const answer of attempts) assertRefused(answer, 400, 'invalid_argument');
    bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: 'eng' } }, ada.token));
    const delivered = () =>
      countOf(
        stack,
        "notifications.delivery_attempt where tenant = $1 and endpoint = $2 and status = 'delivered'",
        [Tenant, ID],
      );
    await eventually('the message', async () => (await delivered()) === 1);
    answers.push(
      await stack.call('Chat_ListEndpoints', { Tenant }, ada.token),
      await remove(Tenant, ID),
    );
    const places = {
      answers: JSON.stringify([...answers, ...attempts].map(({ body }) => body)),
      events: JSON.stringify(await eventsOf(stack, 'notifications', Tenant)),
      tables: `${await dumpOf(stack, 'notifications')}\n${await dumpOf(stack, 'access')}`,
      files: textBelow(stack.folder),
    };
    for (const [place, text] of Object.entries(places)) {
      assert.ok(text.includes(ID), `the ${place} contain the endpoint`);
      for (const secret of [first, second, refused]) {
        const encoded = Buffer.from(secret);
        for (const form of [secret, encoded.toString('hex'), encoded.toString('base64')])
          assert.ok(!text.includes(form), `the ${place} contain a URL`);
      }
    }
  });

  test('Chat_CreateEndpoint reports a missing name and a missing URL, each alone and both together', async () => {
    const { stack, ada, tenantOf, sample, hook, create } = suite;
    const Tenant = await tenantOf(ada);
    for (const empty of [
      { Name: '', URL: '' },
      { Name: null, URL: null },
      { Name: undefined, URL: undefined },
    ]) {
      const answer = await stack.call(
        'Chat_CreateEndpoint',
        { Endpoint: { Tenant, Name: empty.Name }, URL: empty.URL },
        ada.token,
      );
      assertRefused(answer, 400, 'invalid_argument', [nameRequired, urlRequired]);
    }
    assertRefused(await create({ ...sample(Tenant), Name: '' }), 400, 'invalid_argument', [
      nameRequired,
    ]);
    assertRefused(await create(sample(Tenant), ''), 400, 'invalid_argument', [urlRequired]);
    // URL is a field of the request, not of the record.
    assertRefused(await create({ ...sample(Tenant), URL: hook() }, ''), 400, 'invalid_argument', [
      'Endpoint.URL is not a known field',
      urlRequired,
    ]);
    for (const body of [{}, { Endpoint: null }]) {
      const { Messages = [] } = (await stack.call('Chat_CreateEndpoint', body, stack.platformKey))
        .body;
      assert.deepEqual(
        [...Messages].sort(),
        ['Tenant is required', nameRequired, urlRequired].sort(),
      );
    }
    assert.equal(
      await countOf(stack, 'notifications.chat_endpoint where tenant = $1', [Tenant]),
      0,
    );
  });

  test('Chat_ListEndpoints requires a Tenant and pages through its endpoints', async () => {
    const { stack, ada, tenantOf, sample, newEndpoint } = suite;
    const Tenant = await tenantOf(ada);
    for (const body of [{}, { Tenant: '' }, { Tenant: null }, { Page: { Limit: 1 } }]) {
      assertRefused(
        await stack.call('Chat_ListEndpoints', body, ada.token),
        400,
        'invalid_argument',
        ['Tenant is required'],
      );
    }
    const endpoints: ChatEndpoint[] = [];
    for (let index = 0; index < 5; index++)
      endpoints.push(await newEndpoint({ ...sample(Tenant), Name: `Number ${index}` }));
    const { items, sizes } = await readList<ChatEndpoint>(
      stack,
      'Chat_ListEndpoints',
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
    const { stack, ada, bob, tenantOf, sample, hook, create, update, read, remove, newEndpoint } =
      suite;
    const Tenant = await tenantOf(ada);
    const created = await newEndpoint(sample(Tenant));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: bob.id }, stack.platformKey));
    const asBob = [
      await read(Tenant, created.ID, bob.token),
      await remove(Tenant, created.ID, bob.token),
      await create(sample(Tenant), hook(), bob.token),
    ];
    for (const answer of asBob) assertRefused(answer, 403, 'permission_denied');
    assertRefused(await update({ ID: created.ID, Name: 'a' }, '', bob.token), 400, 'not_found');
    assert.deepEqual(endpointIn(await read(Tenant, created.ID)), created);
  });

  test('Chat_DeleteEndpoint removes the endpoint, repeats without an event, and reaches no other tenant', async () => {
    const { stack, ada, tenantOf, sample, update, read, remove, newEndpoint } = suite;
    const [Tenant, other] = [await tenantOf(ada), await tenantOf(ada)];
    const [first, second] = [await newEndpoint(sample(Tenant)), await newEndpoint(sample(other))];
    assert.deepEqual(bodyOf(await remove(Tenant, second.ID)), {});
    assert.deepEqual(endpointIn(await read(other, second.ID)), second);
    for (let times = 0; times < 2; times++)
      assert.deepEqual(bodyOf(await remove(Tenant, first.ID)), {});
    assertRefused(await read(Tenant, first.ID), 400, 'not_found');
    assertRefused(await update({ ...first }), 400, 'not_found');
    assert.equal(await countOf(stack, 'notifications.chat_endpoint where id = $1', [first.ID]), 0);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), [
      'chat_endpoint.created',
      'chat_endpoint.deleted',
    ]);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', other), ['chat_endpoint.created']);
  });

  test('Chat_CreateEndpoint allows fifty per tenant, even for concurrent calls, and does not count webhooks', async () => {
    const { stack, ada, tenantOf, sample, hook, create } = suite;
    const Tenant = await tenantOf(ada);
    bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { ...sample(Tenant), URL: hook() } },
        ada.token,
      ),
    );
    const answers = await Promise.all(
      Array.from({ length: 55 }, () => retryWhileBusy(() => create(sample(Tenant)))),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 50);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      assertRefused(answer, 400, 'failed_precondition', ['a tenant has at most 50 chat endpoints']);
    }
    assert.equal(
      await countOf(stack, 'notifications.chat_endpoint where tenant = $1', [Tenant]),
      50,
    );
    bodyOf(
      await stack.call(
        'Webhooks_CreateEndpoint',
        { Endpoint: { ...sample(Tenant), URL: hook() } },
        ada.token,
      ),
    );
  });

  test('Chat_CreateEndpoint without a Tenant uses the caller’s only tenant', async () => {
    const { stack, tenantOf, sample, hook, create, newEndpoint } = suite;
    const eve = await signUp(stack);
    const { Tenant: _, ...endpoint } = sample('');
    assertRefused(await create(endpoint, hook(), eve.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
    const only = await tenantOf(eve);
    for (const Tenant of [undefined, null, ''])
      assert.equal((await newEndpoint({ ...endpoint, Tenant }, hook(), eve.token)).Tenant, only);
    await tenantOf(eve);
    assertRefused(await create(endpoint, hook(), eve.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
  });
});
