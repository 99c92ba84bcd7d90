import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { firstPublicationHeader, taskHeaders, tasksMadeHeader } from '@bailiwick/outbox';
import { createLog } from '@bailiwick/process';
import { isSubscribed, readEvent } from './event.ts';
import { type FanoutDeps, fanOut, startFanout } from './fanout.ts';
import { createLaneQuotas } from './lane-quotas.ts';

const text = (over: Record<string, unknown> = {}) =>
  JSON.stringify({
    id: 'evt_1',
    type: 'group.created',
    timestamp: '2026-01-01T00:00:00.000Z',
    tenant: 'tnt_1',
    data: { ID: 'grp_1', Name: 'Ü' },
    ...over,
  });
const streamMessage = (event: string | null, targets: object[] = []) =>
  JSON.stringify({ event, audit: { Targets: targets } });

type Published = {
  subject: string;
  body: Record<string, string>;
  id: string;
  fields: Record<string, string>;
};

/** `unsent`: the tasks that are recorded as not sent. */
type FanoutOptions = { wants?: (type: string) => boolean; unsent?: string[] };

/** The tasks published for an event, with these endpoints in every tenant. */
async function published(
  event: string,
  endpoints: ReadonlyArray<{
    id: string;
    eventTypes: string[];
    kind?: string;
    createdAt?: string;
    active?: boolean;
  }>,
  tenants: readonly string[] = [],
  targets: object[] = [],
  { wants = () => true, unsent = [] }: FanoutOptions = {},
): Promise<Published[]> {
  const all: Published[] = [];
  const deps = {
    findEndpoints: () =>
      Promise.resolve(
        endpoints.map((endpoint) => ({
          kind: '',
          active: true,
          createdAt: '2026-01-01 00:00:00+00',
          ...endpoint,
        })),
      ),
    wants: (type: string) => Promise.resolve(wants(type)),
    noteUnsent: ({ task }: { task: string }) => Promise.resolve(unsent.push(task)),
    broker: {
      publish: (subject: string, body: string, id: string, fields: Record<string, string>) =>
        Promise.resolve(all.push({ subject, body: JSON.parse(body), id, fields })),
    },
    authority: {
      listUserTenants: () => Promise.resolve({ tenants: tenants.map((id) => ({ id })) }),
    },
    quotas: createLaneQuotas(),
    owners: { of: (domain: string) => Promise.resolve(domain === 'acme.example' ? 'tnt_7' : '') },
    log: createLog('test', () => {}),
  } as unknown as FanoutDeps;
  const read = readEvent(streamMessage(event, targets));
  assert.ok(read);
  await fanOut(deps, read);
  return all;
}

test('an event becomes one task per endpoint, with its exact bytes', async () => {
  const [first, second] = await published(text(), [
    { id: 'whk_1', eventTypes: [] },
    { id: 'whk_2', eventTypes: ['group.*'] },
  ]);
  assert.equal(first?.subject, 'task.webhook.tnt_1.whk_1');
  assert.equal(first?.id, 'evt_1.whk_1:1');
  assert.equal(first?.fields[taskHeaders.task], 'evt_1.whk_1');
  assert.equal(first?.fields[taskHeaders.event], 'evt_1');
  assert.deepEqual(
    { ...first?.body, Body: Buffer.from(first?.body['Body'] ?? '', 'base64').toString() },
    { Tenant: 'tnt_1', Endpoint: 'whk_1', Type: 'group.created', Body: text() },
  );
  assert.equal(second?.id, 'evt_1.whk_2:1');
});

test("an event becomes a message in the chat service's format for a chat endpoint", async () => {
  const [first] = await published(text(), [
    { id: 'slk_1', eventTypes: ['group.*'], kind: 'discord' },
  ]);
  assert.equal(first?.subject, 'task.chat.tnt_1.slk_1');
  assert.equal(first?.id, 'evt_1.slk_1:1');
  assert.equal(first?.fields[taskHeaders.operation], 'Chat_Deliver');
  assert.deepEqual(
    { ...first?.body, Body: '' },
    { Tenant: 'tnt_1', Endpoint: 'slk_1', Type: 'group.created', Body: '' },
  );
  const { content } = JSON.parse(Buffer.from(first?.body['Body'] ?? '', 'base64').toString()) as {
    content: string;
  };
  assert.match(content, /Group created.*Ü/s);
});

test('an event that an inactive endpoint would get is recorded as not sent', async () => {
  const unsent: string[] = [];
  const off = { active: false };
  const endpoints = [
    { id: 'whk_1', eventTypes: ['group.*'], ...off },
    { id: 'whk_2', eventTypes: ['role.*'], ...off },
    { id: 'whk_3', eventTypes: [], createdAt: '2026-01-01 00:01:00+00', ...off },
  ];
  assert.deepEqual(await published(text(), endpoints, [], [], { unsent }), []);
  assert.deepEqual(unsent, ['evt_1.whk_1']);
});

test('tasks beyond the quota of the tenant go to the slow lane', async () => {
  const endpoints = Array.from({ length: 2001 }, (_, at) => ({ id: `whk_${at}`, eventTypes: [] }));
  const tasks = await published(text(), endpoints);
  assert.deepEqual(
    tasks.flatMap(({ subject }) => (subject.startsWith('task.slow.') ? subject : [])),
    ['task.slow.tnt_1.whk_2000'],
  );
});

test('an event about a chat endpoint is not sent to that endpoint', async () => {
  const event = text({ type: 'chat_endpoint.disabled', data: { ID: 'slk_1' } });
  const endpoints = [
    { id: 'slk_1', eventTypes: [], kind: 'slack' },
    { id: 'slk_2', eventTypes: [], kind: 'slack' },
  ];
  assert.deepEqual(
    (await published(event, endpoints)).map(({ id }) => id),
    ['evt_1.slk_2:1'],
  );
});

test('an event about a webhook endpoint is not sent to that endpoint', async () => {
  const event = text({ type: 'webhook_endpoint.updated', data: { ID: 'whk_1' } });
  const all = await published(event, [
    { id: 'whk_1', eventTypes: [] },
    { id: 'whk_2', eventTypes: [] },
  ]);
  assert.deepEqual(
    all.map(({ id }) => id),
    ['evt_1.whk_2:1'],
  );
});

test("an event about a user goes to the user's tenants", async () => {
  const event = text({ type: 'user.updated', tenant: '', data: { ID: 'usr_1' } });
  const all = await published(event, [{ id: 'whk_1', eventTypes: ['user.*'] }], ['tnt_1', 'tnt_2']);
  assert.deepEqual(
    all.map(({ subject }) => subject),
    ['task.webhook.tnt_1.whk_1', 'task.webhook.tnt_2.whk_1'],
  );
});

test('an event about a user also goes, once, to the tenant that verified the domain of the address', async () => {
  const subjects = async (Email: string, tenants: string[], type = 'user.updated') =>
    (
      await published(
        text({ type, tenant: '', data: { ID: 'usr_1', Email } }),
        [{ id: 'whk_1', eventTypes: [] }],
        tenants,
      )
    ).map(({ subject }) => subject);
  assert.deepEqual(await subjects('Ada@ACME.example', []), ['task.webhook.tnt_7.whk_1']);
  assert.deepEqual(await subjects('ada@acme.example', ['tnt_1', 'tnt_7']), [
    'task.webhook.tnt_1.whk_1',
    'task.webhook.tnt_7.whk_1',
  ]);
  assert.deepEqual(await subjects('ada@acme.example', [], 'user.deleted'), [
    'task.webhook.tnt_7.whk_1',
  ]);
  for (const address of ['ada@other.example', 'ada@sub.acme.example', 'acme.example', ''])
    assert.deepEqual(await subjects(address, []), []);
});

test('an event about a user asks for no tenants if no endpoint of any tenant wants its type', async () => {
  const event = text({ type: 'user.signed_in', tenant: '', data: { ID: 'usr_1' } });
  const endpoints = [{ id: 'whk_1', eventTypes: [] }];
  const publishedFor = (isWanted: boolean) =>
    published(event, endpoints, ['tnt_1'], [], {
      wants: (type) => type === 'user.signed_in' && isWanted,
    });
  assert.deepEqual(await publishedFor(false), []);
  assert.equal((await publishedFor(true)).length, 1);
});

test('the event of a deleted user goes to the former tenants of the user', async () => {
  const event = text({ type: 'user.deleted', tenant: '', data: { ID: 'usr_1' } });
  const targets = [
    { Type: 'user', ID: 'usr_1', Name: 'a' },
    { Type: 'tenant', ID: 'tnt_9', Name: '' },
  ];
  const all = await published(event, [{ id: 'whk_1', eventTypes: [] }], [], targets);
  assert.deepEqual(
    all.map(({ subject }) => subject),
    ['task.webhook.tnt_9.whk_1'],
  );
});

test('an endpoint that was created after an event does not get it', async () => {
  // A time as the driver returns it.
  const at = (seconds: string) => `2026-01-01 00:00:${seconds}+00`;
  const all = await published(text(), [
    { id: 'whk_1', eventTypes: [], createdAt: '2025-12-31 23:59:59.9+00' },
    { id: 'whk_2', eventTypes: [], createdAt: at('02') },
    { id: 'whk_3', eventTypes: [], createdAt: at('06') },
  ]);
  assert.deepEqual(
    all.map(({ id }) => id),
    ['evt_1.whk_1:1', 'evt_1.whk_2:1'],
  );
});

test('other platform events go to no endpoint', async () => {
  assert.deepEqual(
    await published(
      text({ type: 'role.created', tenant: '' }),
      [{ id: 'whk_1', eventTypes: [] }],
      ['tnt_1'],
    ),
    [],
  );
});

test('readEvent returns undefined for an audit entry without an event', () => {
  assert.equal(readEvent(streamMessage(null)), undefined);
});

test('EventTypes match by name, by family, or everything', () => {
  assert.ok(isSubscribed([], 'group.created'));
  assert.ok(isSubscribed(['group.created'], 'group.created'));
  assert.ok(isSubscribed(['group.*'], 'group.member_added'));
  assert.ok(isSubscribed(['user.updated', 'group.*'], 'group.created'));
  assert.equal(isSubscribed(['group.*'], 'group_grant.added'), false);
  assert.equal(isSubscribed(['group'], 'group.created'), false);
  assert.equal(isSubscribed(['group.created'], 'group.created_too'), false);
});

test('readEvent throws for names that PostgreSQL cannot store, so that fan-out does not retry forever', () => {
  for (const over of [{ tenant: 'tnt_\0' }, { id: 'evt_\0' }, { type: 'a\0' }])
    assert.throws(() => readEvent(streamMessage(text(over))));
});

test('an event whose data has NUL in its ID is delivered as any other', async () => {
  const event = text({ type: 'report.finished', data: { ID: '\0' } });
  const [task] = await published(event, [{ id: 'whk_1', eventTypes: [] }]);
  assert.ok(JSON.stringify(task).includes('whk_1'));
});

test('fan-out skips an event whose tasks are made, without reading it', async () => {
  const happened: string[] = [];
  let handle: (message: object) => Promise<void> = () => Promise.resolve();
  const broker = { consume: (_options: object, work: typeof handle) => void (handle = work) };
  startFanout({ broker, log: createLog('test', () => {}) } as unknown as FanoutDeps);
  await handle({
    header: (name: string) => (name === tasksMadeHeader ? 'true' : ''),
    text: () => happened.push('read'),
    ack: () => happened.push('acknowledge'),
  });
  assert.deepEqual(happened, ['acknowledge']);
});

test('a task is the first publication if the event is one, and comes for the first time', async () => {
  const marksFor = async (isNew: boolean, mark: string) => {
    const marks: Array<string | undefined> = [];
    let handle: (message: object) => Promise<void> = () => Promise.resolve();
    const endpoint = {
      id: 'whk_1',
      kind: '',
      active: true,
      eventTypes: [],
      createdAt: '2025-01-01',
    };
    const broker = {
      consume: (_options: object, work: typeof handle) => void (handle = work),
      publish: async (...[, , , fields]: [string, string, string, Record<string, string>]) =>
        marks.push(fields[firstPublicationHeader]),
    };
    startFanout({
      broker,
      findEndpoints: () => Promise.resolve([endpoint]),
      quotas: createLaneQuotas(),
      log: createLog('test', () => {}),
    } as unknown as FanoutDeps);
    await handle({
      newSince: isNew ? new Date() : undefined,
      header: (name: string) => (name === firstPublicationHeader ? mark : ''),
      text: () => streamMessage(text()),
      ack: () => {},
    });
    return marks;
  };
  assert.deepEqual(await marksFor(true, 'true'), ['true']);
  assert.deepEqual(await marksFor(false, 'true'), [undefined]);
  assert.deepEqual(await marksFor(true, ''), [undefined]);
});
