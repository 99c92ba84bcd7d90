import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { createLog } from '@bailiwick/shared/log.ts';
import { taskHeaders } from '@bailiwick/shared/tasks.ts';
import { readEvent, wants } from './event.ts';
import { fanOut, type FanoutDeps } from './fanout.ts';

const text = (over: Record<string, unknown> = {}) =>
  JSON.stringify({ id: 'evt_1', type: 'group.created', timestamp: '2026-01-01T00:00:00.000Z', tenant: 'tnt_1', data: { ID: 'grp_1', Name: 'Ü' }, ...over });
const streamMessage = (event: string | null) => JSON.stringify({ event, audit: {} });

type Published = { subject: string; body: Record<string, string>; id: string; fields: Record<string, string> };

/** What is published of an event, with these endpoints in every tenant. */
async function published(event: string, endpoints: ReadonlyArray<{ id: string; eventTypes: string[] }>, tenants: readonly string[] = []): Promise<Published[]> {
  const all: Published[] = [];
  const deps = {
    database: { query: () => Promise.resolve(endpoints) },
    broker: {
      publish: (subject: string, body: string, id: string, fields: Record<string, string>) =>
        Promise.resolve(all.push({ subject, body: JSON.parse(body), id, fields })),
    },
    authority: { listUserTenants: () => Promise.resolve({ tenants: tenants.map((id) => ({ id })) }) },
    log: createLog('test', () => {}),
  } as unknown as FanoutDeps;
  const read = readEvent(streamMessage(event));
  assert.ok(read);
  await fanOut(deps, read);
  return all;
}

test('an event becomes one task for each endpoint, with its bytes as they are', async () => {
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

test("an endpoint's own life is not sent to itself", async () => {
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

test('an event of a person goes to the tenants of that person', async () => {
  const event = text({ type: 'user.updated', tenant: '', data: { ID: 'usr_1' } });
  const all = await published(event, [{ id: 'whk_1', eventTypes: ['user.*'] }], ['tnt_1', 'tnt_2']);
  assert.deepEqual(
    all.map(({ subject }) => subject),
    ['task.webhook.tnt_1.whk_1', 'task.webhook.tnt_2.whk_1'],
  );
});

test("the platform's other events go to nobody", async () => {
  assert.deepEqual(await published(text({ type: 'role.created', tenant: '' }), [{ id: 'whk_1', eventTypes: [] }], ['tnt_1']), []);
});

test('an audit entry without an event is no event', () => {
  assert.equal(readEvent(streamMessage(null)), undefined);
});

test('EventTypes ask by name, by family, or for everything', () => {
  assert.ok(wants([], 'group.created'));
  assert.ok(wants(['group.created'], 'group.created'));
  assert.ok(wants(['group.*'], 'group.member_added'));
  assert.ok(wants(['user.updated', 'group.*'], 'group.created'));
  assert.equal(wants(['group.*'], 'group_grant.added'), false);
  assert.equal(wants(['group'], 'group.created'), false);
  assert.equal(wants(['group.created'], 'group.created_too'), false);
});
