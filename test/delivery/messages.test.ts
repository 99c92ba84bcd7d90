import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeOne, eventually, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';
import { countOf, dumpOf, rowsOf } from '../support/store.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

// Messages sent to endpoints: read with their bodies, and resent one by one.

type Message = {
  ID: string;
  Event: string;
  EventType: string;
  Body: string;
  Status: string;
  Attempts: Array<{ Attempt: number; Status: string }>;
};
const kinds = {
  Webhooks: { prefix: 'whk', create: 'Webhooks_CreateEndpoint' },
  Chat: { prefix: 'slk', create: 'Chat_CreateEndpoint' },
} as const;
type Area = keyof typeof kinds;

describeOne('the messages of an endpoint', 'one process', (topology) => {
  let stack: Stack;
  let receiver: Receiver;
  let token: string;
  let tenant: string;
  /** The endpoints whose bodies the sweeper deletes. */
  const swept: string[] = [];
  before(async () => {
    stack = await sharedStack(topology, { BAILIWICK_RETRY_SCHEDULE: '0s,1s' });
    receiver = await startReceiver();
    ({ token } = await signUp(stack));
    tenant = await createTenant(stack, token);
  });
  after(async () => {
    await stack?.stop();
    await receiver?.stop();
  });

  async function create(area: Area, path: string): Promise<string> {
    const URL = receiver.url(path);
    const record = { Tenant: tenant, Name: path, EventTypes: ['report.finished'] };
    const request = area === 'Chat' ? { Endpoint: record, URL } : { Endpoint: { ...record, URL } };
    return (
      bodyOf(await stack.call(kinds[area].create, request, token))['Endpoint'] as { ID: string }
    ).ID;
  }
  const publish = async (text: string) =>
    bodyOf(
      await stack.call(
        'Events_Publish',
        { Tenant: tenant, Type: 'report.finished', Body: Buffer.from(text).toString('base64') },
        token,
      ),
    )['ID'] as string;
  const idOf = (area: Area, event: string, endpoint: string) =>
    area === 'Chat' ? `${event}.${endpoint}` : event;
  const ask = (
    operation: string,
    endpoint: string,
    MessageID: string,
    more: object = {},
    by = token,
  ) => stack.call(operation, { Tenant: tenant, ID: endpoint, MessageID, ...more }, by);
  const get = async (area: Area, endpoint: string, id: string) =>
    bodyOf(await ask(`${area}_GetMessage`, endpoint, id))['Message'] as Message;
  /** Waits until the newest attempt has this number and status, and returns the message. */
  const ended = (area: Area, endpoint: string, id: string, attempt: number, state: string) =>
    eventually(`attempt ${attempt}: ${state}`, async () => {
      const { status: code, body } = await ask(`${area}_GetMessage`, endpoint, id);
      const message = body['Message'] as Message | undefined;
      return (
        code === 200 &&
        message?.Attempts.at(-1)?.Attempt === attempt &&
        message.Status === state &&
        message
      );
    });

  for (const area of ['Webhooks', 'Chat'] as const) {
    test(`${area}_GetMessage returns the sent body byte for byte, and ${area}_Resend keeps the identifier`, async () => {
      const path = `/${area}-fine`;
      const endpoint = await create(area, path);
      const event = await publish('{"Report":"höchst geheim"}');
      const id = idOf(area, event, endpoint);
      const message = await ended(area, endpoint, id, 1, 'delivered');
      assert.deepEqual(
        [message.ID, message.Event, message.EventType],
        [id, event, 'report.finished'],
      );
      const text = Buffer.from(message.Body, 'base64').toString();
      if (area === 'Webhooks')
        assert.deepEqual((JSON.parse(text) as { data: object }).data, { Report: 'höchst geheim' });
      else assert.match(text, /report/i);
      assert.ok(
        !(await dumpOf(stack, 'notifications'))
          .split('\n')
          .some((line) => line.includes('delivery_message') && line.includes('geheim')),
      );

      assert.deepEqual(bodyOf(await ask(`${area}_Resend`, endpoint, id)), { Queued: true });
      const again = await ended(area, endpoint, id, 2, 'delivered');
      assert.equal(again.Body, message.Body);
      assert.deepEqual(
        receiver.at(path).map(({ id: webhookId }) => webhookId),
        area === 'Webhooks' ? [event, event] : ['', ''],
      );
      assert.equal(
        await countOf(stack, 'notifications.delivery_message where endpoint = $1', [endpoint]),
        1,
        'each message stores one body',
      );
    });

    test(`${area}_Resend of a dead letter makes all attempts again, once for calls at once`, async () => {
      const path = `/${area}-broken`;
      receiver.answer(path, status(500));
      const endpoint = await create(area, path);
      const id = idOf(area, await publish('{"n":1}'), endpoint);
      const failed = await ended(area, endpoint, id, 2, 'failed');
      assert.deepEqual(
        failed.Attempts.map(({ Status }) => Status),
        ['retry', 'failed'],
      );
      // The receiver answers after all calls: an attempt that ended earlier could be resent again.
      const called = Promise.withResolvers<void>();
      receiver.answer(path, (_, response) => void called.promise.then(() => response.end()));
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ask(`${area}_Resend`, endpoint, id)),
      );
      called.resolve();
      assert.equal(answers.filter((answer) => bodyOf(answer)['Queued']).length, 1);
      await ended(area, endpoint, id, 3, 'delivered');
      assert.equal(receiver.at(path).length, 3);
    });

    test(`${area}_GetMessage and ${area}_Resend do not find a message of another tenant, another endpoint or a deleted one`, async () => {
      const endpoint = await create(area, `/${area}-mine`);
      const id = idOf(area, await publish('{"n":2}'), endpoint);
      await ended(area, endpoint, id, 1, 'delivered');
      const stranger = await signUp(stack);
      const theirs = await createTenant(stack, stranger.token);
      const other = await create(area, `/${area}-other`);
      for (const operation of [`${area}_GetMessage`, `${area}_Resend`]) {
        assertRefused(
          await ask(operation, endpoint, id, { Tenant: theirs }, stranger.token),
          400,
          'not_found',
        );
        assertRefused(
          await ask(operation, endpoint, id, {}, stranger.token),
          403,
          'permission_denied',
        );
        assertRefused(await ask(operation, other, id), 400, 'not_found');
        assertRefused(await ask(operation, createId(kinds[area].prefix), id), 400, 'not_found');
        assertRefused(await ask(operation, endpoint, 'evt_unknown'), 400, 'not_found');
      }
      bodyOf(await stack.call(`${area}_DeleteEndpoint`, { Tenant: tenant, ID: endpoint }, token));
      for (const operation of [`${area}_GetMessage`, `${area}_Resend`])
        assertRefused(await ask(operation, endpoint, id), 400, 'not_found');
      swept.push(endpoint);
    });
  }

  test('Webhooks_Resend is audited, and fails for an inactive endpoint', async () => {
    const endpoint = await create('Webhooks', '/inactive');
    const id = await publish('{"n":3}');
    await ended('Webhooks', endpoint, id, 1, 'delivered');
    assert.deepEqual(bodyOf(await ask('Webhooks_Resend', endpoint, id)), { Queued: true });
    await ended('Webhooks', endpoint, id, 2, 'delivered');
    await eventually('the audit entry', async () => {
      const entries = await rowsOf(
        stack,
        `select from notifications.outbox where audit like '%webhook_endpoint.message_resent%' and audit like $1`,
        [`%${endpoint}%`],
      );
      return entries.length === 1;
    });
    const record = bodyOf(
      await stack.call('Webhooks_GetEndpoint', { Tenant: tenant, ID: endpoint }, token),
    )['Endpoint'] as {
      ID: string;
      Name: string;
      URL: string;
    };
    bodyOf(
      await stack.call(
        'Webhooks_UpdateEndpoint',
        { Endpoint: { ...record, Active: false } },
        token,
      ),
    );
    assertRefused(await ask('Webhooks_Resend', endpoint, id), 400, 'failed_precondition');
    assert.equal((await get('Webhooks', endpoint, id)).Status, 'delivered');
  });

  test('Webhooks_GetMessage returns the newest 200 attempts and the status of the newest', async () => {
    const endpoint = await create('Webhooks', '/many');
    const id = await publish('{"n":5}');
    await ended('Webhooks', endpoint, id, 1, 'delivered');
    const columns =
      'task, operation, tenant, endpoint, event, type, delivery, status_code, error, message, duration_ms, started_at';
    await rowsOf(
      stack,
      `insert into notifications.delivery_attempt (attempt, status, ${columns})
       select n, case n when 250 then 'failed' else 'retry' end, ${columns} from notifications.delivery_attempt, generate_series(2, 250) n where endpoint = $1`,
      [endpoint],
    );
    const { Status, Attempts } = await get('Webhooks', endpoint, id);
    assert.deepEqual(
      [Status, Attempts.length, Attempts[0]?.Attempt, Attempts.at(-1)?.Attempt],
      ['failed', 200, 51, 250],
    );
  });

  test('Webhooks_GetMessage and Webhooks_Resend do not find a message whose data key was deleted', async () => {
    const endpoint = await create('Webhooks', '/keyless');
    const id = await publish('{"n":6}');
    await ended('Webhooks', endpoint, id, 1, 'delivered');
    await rowsOf(
      stack,
      `update notifications.delivery_message set dek_id = 'dek_gone' where endpoint = $1`,
      [endpoint],
    );
    for (const operation of ['Webhooks_GetMessage', 'Webhooks_Resend'])
      assertRefused(await ask(operation, endpoint, id), 400, 'not_found');
    assert.equal(
      await countOf(stack, 'notifications.delivery_waiting where endpoint = $1', [endpoint]),
      0,
    );
  });

  test('an attempt that ends after its endpoint was deleted stores no body', async () => {
    for (const [path, code] of [
      ['/late-ok', 200],
      ['/late-failure', 500],
    ] as const) {
      let end: (() => void) | undefined;
      receiver.answer(
        path,
        (_request, response) => void (end = () => response.writeHead(code).end()),
      );
      const endpoint = await create('Webhooks', path);
      await publish('{"n":5}');
      const finish = await eventually('the attempt', () => Promise.resolve(end));
      bodyOf(await stack.call('Webhooks_DeleteEndpoint', { Tenant: tenant, ID: endpoint }, token));
      // The state after a minute, when late attempts are no longer expected.
      await rowsOf(stack, 'delete from notifications.deleted_endpoint where endpoint = $1', [
        endpoint,
      ]);
      finish();
      await eventually(
        'the attempt to be recorded',
        async () =>
          (await countOf(stack, 'notifications.delivery_attempt where endpoint = $1', [endpoint])) >
          0,
      );
      await eventually(
        'no waiting deliveries',
        async () =>
          (await countOf(stack, 'notifications.delivery_waiting where endpoint = $1', [
            endpoint,
          ])) === 0,
      );
      assert.equal(
        await countOf(stack, 'notifications.delivery_message where endpoint = $1', [endpoint]),
        0,
        path,
      );
    }
  });

  test('a message is not found after its retention, even before the sweeper deletes it', async () => {
    const endpoint = await create('Webhooks', '/old');
    const id = await publish('{"n":4}');
    await ended('Webhooks', endpoint, id, 1, 'delivered');
    await rowsOf(
      stack,
      `update notifications.delivery_message set created_at = now() - interval '169 hours' where endpoint = $1`,
      [endpoint],
    );
    for (const operation of ['Webhooks_GetMessage', 'Webhooks_Resend'])
      assertRefused(await ask(operation, endpoint, id), 400, 'not_found');
    swept.push(endpoint);
  });

  test('the sweeper deletes the bodies of deleted endpoints, and those after their retention', async () => {
    assert.equal(swept.length, 3);
    const bodies = () =>
      countOf(stack, 'notifications.delivery_message where endpoint = any($1)', [swept]);
    await eventually('the bodies to be deleted', async () => (await bodies()) === 0, 40_000);
  });
});
