import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { after, before, describe, test } from 'node:test';
import { firstPublicationHeader, taskHeaders } from '@bailiwick/outbox';
import { connect, headers } from 'nats';
import { bodyOf } from '../support/answers.ts';
import { eventually, type OwnStack, startStack } from '../support/harness.ts';
import { caughtBy, createTenant, mailsTo, signUp } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';

// The broker loses its store, and the relays republish the last 24 hours. No webhook and no mail is
// sent twice, and the consumers' state does not change.

/** A consumer notices a new stream by missing heartbeats, which takes this long at most. */
const consumerTimeoutMs = 90_000;

describe('republishing after the broker lost its store', () => {
  let stack: OwnStack;
  let owner: Awaited<ReturnType<typeof signUp>>;
  let tenant: string;
  before(async () => {
    stack = await startStack('five processes', {
      BAILIWICK_LIMITS: 'off',
      BAILIWICK_RETRY_SCHEDULE: '0s,1h',
    });
    owner = await signUp(stack);
    tenant = await createTenant(stack, owner.token);
  });
  after(() => stack?.stop());

  const asOwner = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, owner.token));
  const platform = async (operation: string, body: object) =>
    bodyOf(await stack.call(operation, body, stack.platformKey));
  const addEndpoint = async (hook: string) =>
    asOwner('Webhooks_CreateEndpoint', {
      Endpoint: {
        Tenant: tenant,
        Name: hook,
        URL: `${stack.inboxUrl}/hooks/${hook}`,
        EventTypes: ['group.*'],
      },
    });
  const caught = async (hook: string) =>
    (await caughtBy(stack, hook))
      .map(({ Body }) => (JSON.parse(Body) as { data: { Path: string } }).data.Path)
      .toSorted();
  const entries = () => countOf(stack, 'access.audit_entry');
  const published = () =>
    countOf(
      stack,
      `(${['identity', 'access', 'sso', 'notifications'].map((name) => `select id from ${name}.outbox`).join(' union all ')}) o`,
    );

  /** Waits until every consumer has processed its whole stream. */
  async function allProcessed(): Promise<void> {
    const connection = await connect({ servers: stack.wiring.natsUrl });
    const manager = await connection.jetstreamManager();
    const isSettled = async () => {
      const all = (
        await Promise.all(['EVT', 'TASK'].map((stream) => manager.consumers.list(stream).next()))
      ).flat();
      const { state } = await manager.streams.info('EVT');
      return (
        state.messages >= (await published()) &&
        all.length >= 7 &&
        all.every(({ num_pending, num_ack_pending }) => num_pending + num_ack_pending === 0)
      );
    };
    // The queries fail until a service has created the streams again.
    try {
      await eventually(
        'all messages to be processed',
        () => isSettled().catch(() => false),
        consumerTimeoutMs,
      );
    } finally {
      await connection.close();
    }
  }

  async function loseStore(): Promise<void> {
    await stack.broker.wipe();
    await stack.startBroker();
    await allProcessed();
  }

  test('sends no webhook and no mail twice, and no event from before an endpoint was created', async () => {
    await addEndpoint('told');
    for (const Path of ['a', 'b', 'c'])
      await asOwner('Groups_Save', { Group: { Tenant: tenant, Path } });
    await eventually('the deliveries', async () => (await caught('told')).length === 3);
    const later = (await addEndpoint('later'))['Endpoint'] as { ID: string };
    await rowsOf(
      stack,
      `update notifications.webhook_endpoint set created_at = created_at + interval '1 minute' where id = $1`,
      [later.ID],
    );
    await allProcessed();
    const entriesBefore = await entries();
    await loseStore();
    assert.deepEqual(await caught('told'), ['a', 'b', 'c']);
    assert.deepEqual(await caught('later'), []);
    assert.equal((await mailsTo(stack, owner.email)).length, 1);
    assert.equal(await entries(), entriesBefore);
    assert.equal((await platform('Audit_Verify', { Tenant: tenant }))['Valid'], true);
    assert.match(stack.logOf('access'), /the broker has lost messages/);
  });

  test('sends no webhook again whose task comes from a stopped process after the loss', async () => {
    const endpoint = (await addEndpoint('once'))['Endpoint'] as { ID: string };
    await asOwner('Groups_Save', { Group: { Tenant: tenant, Path: 'once' } });
    await eventually('the delivery', async () => (await caught('once')).includes('once'));
    await allProcessed();
    const [attempt] = await rowsOf<{ task: string; event: string }>(
      stack,
      `select task, event from notifications.delivery_attempt
       where endpoint = $1 and event = (select id from access.outbox where event like '%"Path":"once"%')`,
      [endpoint.ID],
    );
    assert.ok(attempt);
    const beforeLoss = new Date();
    await loseStore();
    // The broker has forgotten the ids of its messages. The process believes that it is the first to
    // publish this one.
    const connection = await connect({ servers: stack.wiring.natsUrl });
    const publishLate = async (enqueued: Date) => {
      const head = headers();
      const fields = {
        [taskHeaders.operation]: 'Webhooks_Deliver',
        [taskHeaders.task]: attempt.task,
        [taskHeaders.attempt]: '1',
        [taskHeaders.event]: attempt.event,
        [taskHeaders.enqueued]: enqueued.toISOString(),
        [firstPublicationHeader]: 'true',
      };
      for (const [name, value] of Object.entries(fields)) head.set(name, value);
      const body = { data: { Path: 'late' } };
      const request = {
        Tenant: tenant,
        Endpoint: endpoint.ID,
        Type: 'group.created',
        Body: Buffer.from(JSON.stringify(body)).toString('base64'),
      };
      await connection
        .jetstream()
        .publish(`task.webhook.${tenant}.${endpoint.ID}`, JSON.stringify(request), {
          headers: head,
        });
    };
    await publishLate(new Date(Date.now() - 11 * 60_000));
    await publishLate(beforeLoss);
    await allProcessed();
    const isOfTask = (path: string) => path === 'once' || path === 'late';
    assert.deepEqual((await caught('once')).filter(isOfTask), ['once']);
    await connection.close();
  });

  test('sends retries that were already in the broker at once, not after a quarter of an hour', async () => {
    await addEndpoint('patient?status=503&times=1');
    await asOwner('Groups_Save', { Group: { Tenant: tenant, Path: 'retried' } });
    const handed = `update notifications.delivery_waiting set state = 'queued', queued_at = now(), due_at = now() where state = 'waiting' returning 1`;
    // Fan-out includes endpoints created seconds after an event, so this one may get a, b and c.
    const attempts = async () =>
      (await caught('patient')).filter((path) => path === 'retried').length;
    await eventually('the first attempt', async () => (await attempts()) === 1, consumerTimeoutMs);
    // The state after a process has passed the retry to the broker and no worker has taken it.
    await eventually('the waiting retry', async () => (await rowsOf(stack, handed)).length === 1);
    await stack.broker.wipe();
    await stack.startBroker();
    await eventually('the second attempt', async () => (await attempts()) === 2, consumerTimeoutMs);
    // The receiver has the request before its attempt is settled.
    await eventually(
      'no waiting task',
      async () =>
        (await countOf(stack, "notifications.delivery_waiting where state <> 'dead'")) === 0,
    );
  });

  test('does not apply old events to users and bots', async () => {
    const dan = await signUp(stack);
    await platform('TenantMembers_Add', { Tenant: tenant, UserID: dan.id });
    await platform('Users_Disable', { UserID: dan.id });
    await platform('Users_Enable', { UserID: dan.id });
    const deletedUser = await signUp(stack);
    await platform('Users_Delete', { UserID: deletedUser.id });
    const bot = (await asOwner('Bots_Save', { Bot: { Tenant: tenant, Name: 'deployer' } }))[
      'Bot'
    ] as { ID: string };
    await asOwner('BotGrants_Add', { Grant: { Tenant: tenant, Bot: bot.ID, Role: 'auditor' } });
    for (const Active of [false, true]) await asOwner('Bots_Save', { Bot: { ...bot, Active } });
    await allProcessed();
    const states = () =>
      rowsOf(stack, 'select subject, state from access.subject_state order by subject');
    const before = await states();
    assert.ok(before.length >= 3);
    const entriesBefore = await entries();
    await loseStore();
    assert.deepEqual(await states(), before);
    assert.equal(await entries(), entriesBefore);
    assert.equal(
      (
        await asOwner('Access_Check', {
          Tenant: tenant,
          Subject: bot.ID,
          Permission: 'iam.groups.read',
        })
      )['Allowed'],
      true,
    );
  });
});
