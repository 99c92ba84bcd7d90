import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, readList, recordIn, retryWhileBusy } from '../support/answers.ts';
import { describeBoth, eventually, type Stack } from '../support/harness.ts';
import { signUp, tenantFor } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, dumpOf, eventsOf, eventTypesOf, rowsOf, textBelow } from '../support/store.ts';

type Person = Awaited<ReturnType<typeof signUp>>;
type Endpoint = {
  ID: string;
  Tenant: string;
  Name: string;
  Kind: string;
  Active: boolean;
  DekID: string;
  URLEnc: string;
  UpdatedAt: string;
};
type Row = { dek_id: string; url_enc: Buffer; active: boolean; kind: string };

const missing = 'slk_01hzzzzzzzzzzzzzzzzzzzzzzz';
const named = 'endpoint name is required';
const addressed = 'endpoint url is required';

describeBoth('chat endpoints', (topology) => {
  let stack: Stack;
  let ada: Person;
  let bob: Person;
  before(async () => {
    stack = await sharedStack(topology);
    [ada, bob] = await Promise.all([signUp(stack), signUp(stack)]);
  });
  after(() => stack?.stop());

  /** A tenant from the platform, which does not count against its owner's ten. */
  async function tenantOf({ id }: Person): Promise<string> {
    return tenantFor(stack, id);
  }
  // No event has this type, so nothing is ever sent to these endpoints.
  const sample = (Tenant: string) => ({
    Tenant,
    Name: 'Operations',
    EventTypes: ['nothing.at_all'],
  });
  const hook = (name = 'quiet') => `${stack.inboxUrl}/hooks/${name}`;
  const create = (endpoint: object, URL: unknown = hook(), token = ada.token, rest: object = {}) =>
    stack.call('Chat_CreateEndpoint', { Endpoint: endpoint, URL, ...rest }, token);
  const update = (endpoint: object, URL: unknown = '', token = ada.token) =>
    stack.call('Chat_UpdateEndpoint', { Endpoint: endpoint, URL }, token);
  const read = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('Chat_GetEndpoint', { Tenant, ID }, token);
  const remove = (Tenant: string, ID: string, token = ada.token) =>
    stack.call('Chat_DeleteEndpoint', { Tenant, ID }, token);
  const made = async (endpoint: object, URL = hook(), token = ada.token) =>
    recordIn(await create(endpoint, URL, token), 'Endpoint') as Endpoint;
  async function stored(id: string): Promise<Row> {
    const [row] = await rowsOf<Row>(
      stack,
      'select dek_id, url_enc, active, kind from notifications.chat_endpoint where id = $1',
      [id],
    );
    return row ?? assert.fail(`${id} is not stored`);
  }

  test('Chat_CreateEndpoint assigns the ID, sets Active and ignores the fields that the service manages, of any type', async () => {
    const Tenant = await tenantOf(ada);
    const managed: object[] = [
      {
        ID: missing,
        Active: false,
        DekID: 'dek_01hzzzzzzzzzzzzzzzzzzzzzzz',
        URLEnc: 'bWluZQ==',
        Kind: 'slack',
        DisabledReason: 'mine',
      },
      {
        ID: 'not an id',
        Active: null,
        DekID: 7,
        URLEnc: 'not base64!',
        Kind: 7,
        DisabledReason: [],
      },
      { ID: {}, DekID: [{}], URLEnc: { a: 1 }, CreatedAt: 'never', UpdatedAt: 7, DisabledAt: true },
    ];
    for (const fields of managed) {
      const endpoint = recordIn(
        await create({ ...sample(Tenant), ...fields }, hook(), ada.token),
        'Endpoint',
      ) as Endpoint;
      assert.match(endpoint.ID, /^slk_[0-7][0-9a-z]{25}$/);
      assert.notEqual(endpoint.ID, missing);
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
      assert.deepEqual(recordIn(await read(Tenant, endpoint.ID), 'Endpoint'), endpoint);
    }
  });

  test('Chat_CreateEndpoint sets the kind from the URL', async () => {
    const Tenant = await tenantOf(ada);
    const urls: ReadonlyArray<readonly [string, string]> = [
      ['slack', 'https://hooks.slack.com/services/T0/B0/xyz'],
      ['discord', 'https://discord.com/api/webhooks/1/xyz'],
      ['mattermost', hook('abcdefghijklmnopqrstuvwxyz')],
    ];
    for (const [kind, url] of urls) assert.equal((await made(sample(Tenant), url)).Kind, kind);
  });

  test('the URL is not in any answer, event, table, log or broker file', async () => {
    const Tenant = await tenantOf(ada);
    const [first, second] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
    const created = await create({ ...sample(Tenant), EventTypes: ['group.created'] }, hook(first));
    const { ID } = recordIn(created, 'Endpoint') as Endpoint;
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
      assertRefused(answer, 400, 'invalid_argument', [named, addressed]);
    }
    assertRefused(await create({ ...sample(Tenant), Name: '' }), 400, 'invalid_argument', [named]);
    assertRefused(await create(sample(Tenant), ''), 400, 'invalid_argument', [addressed]);
    // URL is a field of the request, not of the record.
    assertRefused(await create({ ...sample(Tenant), URL: hook() }, ''), 400, 'invalid_argument', [
      'Endpoint.URL is not a known field',
      addressed,
    ]);
    for (const body of [{}, { Endpoint: null }]) {
      const { Messages = [] } = (await stack.call('Chat_CreateEndpoint', body, stack.platformKey))
        .body;
      assert.deepEqual([...Messages].sort(), ['Tenant is required', named, addressed].sort());
    }
    assert.equal(
      await countOf(stack, 'notifications.chat_endpoint where tenant = $1', [Tenant]),
      0,
    );
  });

  test('Chat_CreateEndpoint and Chat_UpdateEndpoint refuse a URL that Bailiwick must not call', async () => {
    const Tenant = await tenantOf(ada);
    const { ID } = await made(sample(Tenant));
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
    const Tenant = await tenantOf(ada);
    const { ID } = await made(sample(Tenant));
    for (const body of [
      {},
      { Endpoint: {} },
      { Endpoint: { Tenant, ID: '', Name: null }, URL: null },
    ]) {
      assertRefused(
        await stack.call('Chat_UpdateEndpoint', body, ada.token),
        400,
        'invalid_argument',
        ['endpoint id is required', named],
      );
    }
    assertRefused(await update(sample(Tenant)), 400, 'invalid_argument', [
      'endpoint id is required',
    ]);
    assertRefused(await update({ ...sample(Tenant), ID, Name: '' }), 400, 'invalid_argument', [
      named,
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
    const Tenant = await tenantOf(ada);
    const created = await made({ ...sample(Tenant), Description: 'first' });
    const sealed = await stored(created.ID);
    const paused = recordIn(
      await update({
        ID: created.ID,
        Name: 'New',
        Active: false,
        DekID: 7,
        URLEnc: {},
        Kind: 'slack',
      }),
      'Endpoint',
    ) as Endpoint;
    assert.deepEqual(
      { ...paused, UpdatedAt: '' },
      { ...created, Name: 'New', Active: false, UpdatedAt: '' },
    );
    for (const Active of [undefined, null]) {
      const { Active: still } = recordIn(
        await update({ ID: created.ID, Name: 'Newer', Active }),
        'Endpoint',
      ) as Endpoint;
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
    const Tenant = await tenantOf(ada);
    const created = await made(sample(Tenant));
    const before = await stored(created.ID);
    const answer = recordIn(
      await update(
        { ID: created.ID, Name: 'Operations' },
        'https://hooks.slack.com/services/T0/B0/xyz',
      ),
      'Endpoint',
    ) as Endpoint;
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
    const Tenant = await tenantOf(ada);
    const created = await made({ ...sample(Tenant), Description: 'first' });
    const rows = () =>
      rowsOf(stack, 'select * from notifications.chat_endpoint where id = $1', [created.ID]);
    const before = await rows();
    assert.deepEqual(
      bodyOf(await update(recordIn(await read(Tenant, created.ID), 'Endpoint') as Endpoint)),
      { Endpoint: created },
    );
    assert.deepEqual(await rows(), before);
    assert.deepEqual(await eventTypesOf(stack, 'notifications', Tenant), ['chat_endpoint.created']);
  });

  test('Chat_ListEndpoints requires a Tenant and pages through its endpoints', async () => {
    const Tenant = await tenantOf(ada);
    for (const body of [{}, { Tenant: '' }, { Tenant: null }, { Page: { Limit: 1 } }]) {
      assertRefused(
        await stack.call('Chat_ListEndpoints', body, ada.token),
        400,
        'invalid_argument',
        ['Tenant is required'],
      );
    }
    const endpoints: Endpoint[] = [];
    for (let index = 0; index < 5; index++)
      endpoints.push(await made({ ...sample(Tenant), Name: `Number ${index}` }));
    const { items, sizes } = await readList<Endpoint>(
      stack,
      'Chat_ListEndpoints',
      { Tenant },
      ada.token,
      2,
    );
    assert.deepEqual(sizes, [2, 2, 1]);
    assert.deepEqual(
      items,
      endpoints.sort((a, b) => (a.ID < b.ID ? -1 : 1)),
    );
  });

  test('Chat_UpdateEndpoint of a foreign endpoint answers like a missing one', async () => {
    const Tenant = await tenantOf(ada);
    const [own, other] = [await tenantOf(bob), await tenantOf(ada)];
    const created = await made(sample(Tenant));
    const stranger = await signUp(stack);
    const hijacked = hook('hijacked');
    for (const { token } of [bob, stranger]) {
      const [foreign, unknown] = [
        await update({ ID: created.ID, Name: 'Hijacked' }, hijacked, token),
        await update({ ID: missing, Name: 'Hijacked' }, hijacked, token),
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
    assert.deepEqual(recordIn(await read(Tenant, created.ID), 'Endpoint'), created);
    assert.equal(
      (
        recordIn(
          await update({ ID: created.ID, Name: 'Moved' }, '', stack.platformKey),
          'Endpoint',
        ) as Endpoint
      ).Name,
      'Moved',
    );
  });

  test('a member without the permission neither reads nor changes endpoints', async () => {
    const Tenant = await tenantOf(ada);
    const created = await made(sample(Tenant));
    bodyOf(await stack.call('TenantMembers_Add', { Tenant, UserID: bob.id }, stack.platformKey));
    const asBob = [
      await read(Tenant, created.ID, bob.token),
      await remove(Tenant, created.ID, bob.token),
      await create(sample(Tenant), hook(), bob.token),
    ];
    for (const answer of asBob) assertRefused(answer, 403, 'permission_denied');
    assertRefused(await update({ ID: created.ID, Name: 'a' }, '', bob.token), 400, 'not_found');
    assert.deepEqual(recordIn(await read(Tenant, created.ID), 'Endpoint'), created);
  });

  test('Chat_DeleteEndpoint removes the endpoint, repeats without an event, and reaches no other tenant', async () => {
    const [Tenant, other] = [await tenantOf(ada), await tenantOf(ada)];
    const [first, second] = [await made(sample(Tenant)), await made(sample(other))];
    assert.deepEqual(bodyOf(await remove(Tenant, second.ID)), {});
    assert.deepEqual(recordIn(await read(other, second.ID), 'Endpoint'), second);
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

  test('Chat_CreateEndpoint allows fifty per tenant, also for concurrent calls, and does not count webhooks', async () => {
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
    const eve = await signUp(stack);
    const { Tenant: _, ...endpoint } = sample('');
    assertRefused(await create(endpoint, hook(), eve.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
    const only = await tenantOf(eve);
    for (const Tenant of [undefined, null, ''])
      assert.equal((await made({ ...endpoint, Tenant }, hook(), eve.token)).Tenant, only);
    await tenantOf(eve);
    assertRefused(await create(endpoint, hook(), eve.token), 400, 'invalid_argument', [
      'Tenant is required',
    ]);
  });
});
