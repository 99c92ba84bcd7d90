import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { describeOne, type Stack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, signUp } from '../support/people.ts';
import { eventsOf } from '../support/store.ts';
import { createChatCalls, quiet, startReceiver, type Task } from './chat-endpoints.ts';

const mattermost = 'abcdefghijklmnopqrstuvwxyz';

describeOne('chat messages', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  let userId: string;
  let tenant: string;
  before(async () => {
    // Two attempts more than the limit of a chat message.
    stack = await startStack(topology, { BAILIWICK_RETRY_SCHEDULE: '0s,0s,0s,0s,0s,0s,0s,0s' });
    ({ token, id: userId } = await signUp(stack));
    tenant = await createTenant(stack, token);
  });
  after(() => stack?.stop());

  const calls = createChatCalls(() => ({ stack, tenant, token }));
  const { createEndpoint, saveGroup, request, deliver } = calls;
  const { caught, ended, waiting, readEndpoint } = calls;

  test('an event arrives as a readable message in the format of its chat service', async () => {
    await createEndpoint('plain', { EventTypes: ['group.created'] });
    await createEndpoint(mattermost, { EventTypes: ['group.*'] });
    await createEndpoint('other', { EventTypes: ['role.created'] });
    await saveGroup('told', 'Told @all');
    const [[message], [marked]] = await Promise.all([caught('plain'), caught(mattermost)]);
    assert.equal(message?.Headers['content-type'], 'application/json');
    assert.match(message.Headers['user-agent'] ?? '', /^Bailiwick-Chat\//);
    const { text, ...rest } = JSON.parse(message.Body) as { text: string };
    assert.deepEqual(rest, {});
    const lines = text.split('\n');
    assert.equal(lines[0], 'Group created');
    assert.match(lines[1] ?? '', /^Group: Told @\u200ball \(grp_[0-9a-z]{26}\)$/);
    assert.deepEqual(lines.slice(2, 4), [`By: user ${userId}`, `Tenant: ${tenant}`]);
    assert.match(lines[4] ?? '', /^group\.created · evt_[0-9a-z]{26} · \d{4}-/);
    assert.ok(
      (JSON.parse(marked?.Body ?? '') as { text: string }).text.startsWith(
        '**Group created**\nGroup\\: Told \\@\u200ball',
      ),
    );
    for (const header of ['x-webhook-signature', 'webhook-id', 'traceparent', 'authorization'])
      assert.ok(!(header in message.Headers), header);
    assert.deepEqual(await caughtBy(stack, 'other'), []);
  });

  test('Chat_CreateEndpoint and Chat_UpdateEndpoint take the kind that the client chooses', async () => {
    const id = await createEndpoint('proxied', { ...quiet, Kind: 'teams' });
    const stored = await readEndpoint(id);
    assert.equal(stored['Kind'], 'teams');
    // A record as it was read changes nothing, also with a new URL of an unknown host.
    const update = async (endpoint: object, URL = '') => {
      const answer = await stack.call('Chat_UpdateEndpoint', { Endpoint: endpoint, URL }, token);
      return (recordIn(answer, 'Endpoint') as { Kind: string }).Kind;
    };
    assert.equal(await update(stored, `${stack.inboxUrl}/hooks/moved`), 'teams');
    assert.equal(await update({ ...stored, Kind: 'slack' }), 'slack');
    assert.equal(await update({ ID: id, Name: 'x' }), 'slack');
    assert.equal(await update({ ID: id, Name: 'x' }, `${stack.inboxUrl}/hooks/plain`), 'generic');
    assertRefused(
      await stack.call('Chat_UpdateEndpoint', { Endpoint: { ...stored, Kind: 'irc' } }, token),
      400,
      'invalid_argument',
    );
  });

  test('a chat message is retried with the same body while the service fails', async () => {
    const id = await createEndpoint('flaky?status=500&times=2', { EventTypes: ['group.created'] });
    await saveGroup('flaky', 'Flaky');
    const messages = await caught('flaky', 3);
    assert.equal(new Set(messages.map(({ Body }) => Body)).size, 1);
    assert.deepEqual(
      (await ended(id, 3)).map(({ attempt, status, status_code }) => [
        attempt,
        status,
        status_code,
      ]),
      [
        [1, 'retry', 500],
        [2, 'retry', 500],
        [3, 'delivered', 200],
      ],
    );
    bodyOf(await stack.call('Chat_DeleteEndpoint', { Tenant: tenant, ID: id }, token));
  });

  test('a chat message fails after six attempts, and deleting its endpoint deletes the dead letter', async () => {
    const id = await createEndpoint('down?status=503', { EventTypes: ['group.created'] });
    await saveGroup('down', 'Down');
    assert.equal((await ended(id, 6)).length, 6);
    assert.equal(await waiting(id, 'dead'), 1);
    assert.equal((await caughtBy(stack, 'down')).length, 6);
    bodyOf(await stack.call('Chat_DeleteEndpoint', { Tenant: tenant, ID: id }, token));
    assert.equal(await waiting(id, 'dead'), 0);
  });

  test('a chat message that the service rejects is not retried, and the endpoint stays active', async () => {
    const ids = await Promise.all(
      ['404', '400', '302'].map((status) =>
        createEndpoint(`no-${status}?status=${status}`, { EventTypes: ['group.created'] }),
      ),
    );
    await saveGroup('refused', 'Refused');
    for (const id of ids) {
      const [attempt, ...more] = await ended(id, 1);
      assert.deepEqual([attempt?.status, more], ['failed', []]);
      assert.equal(await waiting(id, 'dead'), 1);
      assert.equal((await readEndpoint(id))['Active'], true);
      bodyOf(await stack.call('Chat_DeleteEndpoint', { Tenant: tenant, ID: id }, token));
    }
  });

  test('410 disables the chat endpoint and notifies the other endpoints', async () => {
    const id = await createEndpoint('archived?status=410', {
      EventTypes: ['group.created', 'chat_endpoint.disabled'],
    });
    await createEndpoint('watching', { EventTypes: ['chat_endpoint.disabled'] });
    await saveGroup('archived', 'Archived');
    const [notice] = await caught('watching');
    assert.match(
      (JSON.parse(notice?.Body ?? '') as { text: string }).text,
      new RegExp(`^Chat endpoint disabled\nChat endpoint: Operations \\(${id}\\)\nChanged: `),
    );
    // The health is of the time of the call: no event has it.
    const { Health: health, ...endpoint } = await readEndpoint(id);
    assert.equal((health as { State: string }).State, 'off');
    assert.equal(endpoint['Active'], false);
    assert.equal(endpoint['DisabledReason'], 'the receiver answered 410 Gone');
    assert.ok(endpoint['DisabledAt']);
    const disabled = (await eventsOf(stack, 'notifications', tenant)).find(
      ({ type, data }) => type === 'chat_endpoint.disabled' && data['ID'] === id,
    );
    assert.deepEqual(disabled?.data, endpoint);
    assert.deepEqual(disabled.previous, { Active: true, DisabledReason: '', DisabledAt: null });
    assert.deepEqual(
      (await ended(id, 1)).map(({ status, status_code }) => [status, status_code]),
      [['failed', 410]],
    );
    assert.equal((await caughtBy(stack, 'archived')).length, 1);
    // Activating the endpoint clears its reason, and deliveries resume.
    bodyOf(
      await stack.call(
        'Chat_UpdateEndpoint',
        {
          Endpoint: { ID: id, Name: 'Operations', Active: true },
          URL: `${stack.inboxUrl}/hooks/revived`,
        },
        token,
      ),
    );
    const { DisabledReason, DisabledAt } = await readEndpoint(id);
    assert.deepEqual([DisabledReason, DisabledAt], ['', undefined]);
    await saveGroup('revived', 'Revived');
    await caught('revived');
  });

  test('429 pauses a chat endpoint for the time that the service names', async () => {
    let first = true;
    const receiver = await startReceiver((response) => {
      const headers = {
        'content-type': 'application/json',
        'retry-after': '1500',
        'x-ratelimit-reset-after': '1.5',
      };
      response.writeHead(first ? 429 : 204, first ? headers : {}).end();
      first = false;
    });
    try {
      const id = await createEndpoint(receiver.url, { EventTypes: ['group.created'] });
      await saveGroup('limited', 'Limited');
      const [limited, delivered] = await ended(id, 2);
      assert.deepEqual([limited?.error, delivered?.status], ['rate_limited', 'delivered']);
      const waited = (delivered?.started_at.getTime() ?? 0) - (limited?.started_at.getTime() ?? 0);
      assert.ok(waited >= 1500 && waited < 10_000, `${waited} ms`);
      bodyOf(await stack.call('Chat_DeleteEndpoint', { Tenant: tenant, ID: id }, token));
    } finally {
      receiver.stop();
    }
  });

  test('410 from a URL that was replaced in the meantime does not disable the endpoint', async () => {
    let ID = '';
    const receiver = await startReceiver((response) => {
      const change = {
        Endpoint: { ID, Name: 'Operations' },
        URL: `${stack.inboxUrl}/hooks/replaced`,
      };
      void stack
        .call('Chat_UpdateEndpoint', change, token)
        .then(({ status }) => response.writeHead(status === 200 ? 410 : 500).end());
    });
    try {
      ID = await createEndpoint(receiver.url, quiet);
      const { Status, StatusCode } = await deliver(ID);
      assert.deepEqual([Status, StatusCode], ['failed', 410]);
      assert.equal((await readEndpoint(ID))['Active'], true);
      assert.equal((await deliver(ID)).Status, 'delivered');
      assert.equal((await caughtBy(stack, 'replaced')).length, 1);
    } finally {
      receiver.stop();
    }
  });

  test('Chat_Deliver makes one attempt with the given body, and returns its result', async () => {
    const id = await createEndpoint('by-hand', quiet);
    for (const body of [
      '{"text":"hello"}',
      '{ "spaced" : "ünïcödé 🦉" }',
      'not json',
      Buffer.from([0, 255, 1, 254]),
    ]) {
      const task = await deliver(id, body);
      assert.deepEqual(
        [task.Status, task.StatusCode, task.Attempt, task.Error],
        ['delivered', 200, 1, ''],
      );
      assert.equal(task.ID, (await deliver(id, body)).ID);
      const [message] = await caught('by-hand');
      assert.deepEqual(Buffer.from(message?.BodyBase64 ?? '', 'base64'), Buffer.from(body));
    }
    const failing = await createEndpoint('by-hand-failing?status=500', quiet);
    const { Status, StatusCode, Error, Message } = await deliver(failing);
    assert.deepEqual(
      [Status, StatusCode, Error, Message],
      ['retry', 500, 'http_status', 'the receiver answered 500'],
    );
    assert.equal((await caughtBy(stack, 'by-hand-failing')).length, 1);
    const unreachable = await createEndpoint('http://127.0.0.1:1/hooks/none', quiet);
    const refused = await deliver(unreachable);
    assert.deepEqual(
      [refused.Status, refused.StatusCode, refused.Error],
      ['retry', 0, 'connection_refused'],
    );
    assert.ok(!JSON.stringify(refused).includes('127.0.0.1'));
  });

  test('Chat_SendTest sends one readable message at once, also to an inactive endpoint, and lists the attempt', async () => {
    const endpoint = await createEndpoint('tested', quiet);
    const sendTest = async () =>
      recordIn(
        await stack.call('Chat_SendTest', { Tenant: tenant, ID: endpoint }, token),
        'Task',
      ) as Task;
    assert.equal((await sendTest()).Status, 'delivered');
    const [message] = await caught('tested');
    assert.match((JSON.parse(message?.Body ?? '') as { text: string }).text, /Operations/);
    bodyOf(
      await stack.call(
        'Chat_UpdateEndpoint',
        { Endpoint: { ID: endpoint, Name: 'Operations', Active: false } },
        token,
      ),
    );
    assert.equal((await sendTest()).Status, 'delivered');
    const page = recordIn(
      await stack.call('Chat_ListAttempts', { Tenant: tenant, Endpoint: endpoint }, token),
      'Page',
    ) as { Items: Array<{ Type: string }> };
    assert.equal(page.Items.length, 2);
    assertRefused(
      await stack.call('Chat_SendTest', { Tenant: tenant, ID: createId('slk') }, token),
      400,
      'not_found',
    );
  });

  test('Chat_Deliver accepts the worker only', async () => {
    const id = await createEndpoint('closed', quiet);
    for (const credential of [token, stack.platformKey])
      assertRefused(
        await stack.call('Chat_Deliver', request(id), credential),
        403,
        'permission_denied',
      );
    assertRefused(await stack.call('Chat_Deliver', request(id)), 401, 'unauthenticated');
    assert.deepEqual(await caughtBy(stack, 'closed'), []);
  });

  test('an inactive endpoint, a deleted one and one of another tenant get no chat messages', async () => {
    const id = await createEndpoint('gone', quiet);
    bodyOf(
      await stack.call(
        'Chat_UpdateEndpoint',
        { Endpoint: { ID: id, Name: 'Operations', Active: false } },
        token,
      ),
    );
    const statusOf = async (endpoint: string) => {
      const { Status, Error } = await deliver(endpoint);
      return [Status, Error];
    };
    assert.deepEqual(await statusOf(id), ['dropped', 'endpoint_inactive']);
    bodyOf(await stack.call('Chat_DeleteEndpoint', { Tenant: tenant, ID: id }, token));
    assert.deepEqual(await statusOf(id), ['dropped', 'endpoint_not_found']);
    assert.deepEqual(await statusOf(createId('slk')), ['dropped', 'endpoint_not_found']);
    const other = await createEndpoint('gone', quiet);
    const foreign = await stack.call(
      'Chat_Deliver',
      { ...request(other), Tenant: createId('tnt') },
      stack.workerToken,
    );
    assert.equal((recordIn(foreign, 'Task') as Task).Error, 'endpoint_not_found');
    assert.deepEqual(await caughtBy(stack, 'gone'), []);
  });
});
