import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { sweepCalls } from '@bailiwick/pipeline';
import type { Database } from '@bailiwick/store';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { createBot } from '../support/bots.ts';
import { describeOne, eventually, startStack } from '../support/harness.ts';
import { countOf, dumpOf, rowsOf, whileLocked } from '../support/store.ts';
import {
  inProgress,
  isReplayed,
  type KeyedCalls,
  keyed,
  startKeyedCalls,
} from './idempotency-calls.ts';

const mismatch = 'this Idempotency-Key was used for a different request';

describeOne('Idempotency-Key', 'one process', (topology) => {
  let suite: KeyedCalls;
  before(async () => {
    suite = await startKeyedCalls(await startStack(topology));
  });
  after(() => suite?.stack.stop());

  test('a retry of a create gets the first answer, its secret included, and makes one endpoint', async () => {
    const { create, countEndpoints } = suite;
    const key = randomUUID();
    const first = await create('once', key);
    assert.equal(isReplayed(first), false);
    for (let repetition = 0; repetition < 3; repetition++) {
      const again = await create('once', key);
      assert.deepEqual(bodyOf(again), bodyOf(first));
      assert.equal(isReplayed(again), true);
    }
    assert.equal(await countEndpoints('once'), 1);
    assert.notDeepEqual(
      bodyOf(await create('once', randomUUID())),
      bodyOf(first),
      'another key makes another call',
    );
    assert.equal(await countEndpoints('once'), 2);
  });

  test('200 concurrent calls with one key make one endpoint, and the others get its answer or 429', async () => {
    const { create, countEndpoints } = suite;
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 200 }, () => create('crowd', key)));
    assert.equal(await countEndpoints('crowd'), 1);
    const succeeded = answers.filter(({ status }) => status === 200);
    assert.equal(succeeded.filter((answer) => !isReplayed(answer)).length, 1);
    assert.equal(new Set(succeeded.map(({ body }) => JSON.stringify(body))).size, 1);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      assertRefused(refused, 429, 'resource_exhausted', [inProgress]);
      assert.equal(refused.headers.get('retry-after'), '1');
    }
    assert.deepEqual(bodyOf(await create('crowd', key)), succeeded[0]?.body);
  });

  test('one key with another body or another operation is refused with 400 and changes nothing', async () => {
    const { stack, ada, tenant, create, countEndpoints } = suite;
    const key = randomUUID();
    bodyOf(await create('bound', key));
    assertRefused(await create('bound elsewhere', key), 400, 'invalid_argument', [mismatch]);
    const { ID } = bodyOf(await create('bound', key))['Endpoint'] as { ID: string };
    assertRefused(
      await stack.call('Webhooks_DeleteEndpoint', { Tenant: tenant, ID }, ada.token, keyed(key)),
      400,
      'invalid_argument',
      [mismatch],
    );
    assert.deepEqual(
      [await countEndpoints('bound'), await countEndpoints('bound elsewhere')],
      [1, 0],
    );
  });

  test('a failed call is not stored, and a retry is evaluated again', async () => {
    const { stack, ada, tenant, create, saveGroup } = suite;
    const key = randomUUID();
    const join = () =>
      stack.call(
        'Groups_AddMember',
        { Tenant: tenant, Group: 'late', UserID: ada.id },
        ada.token,
        keyed(key),
      );
    assertRefused(await join(), 400, 'not_found');
    bodyOf(await saveGroup('late', randomUUID()));
    const joined = await join();
    assert.deepEqual([joined.status, isReplayed(joined)], [200, false]);
    assert.equal(isReplayed(await join()), true);
    const invalid = randomUUID();
    assert.equal((await create('', invalid)).status, 400);
    assert.equal((await create('valid at last', invalid)).status, 200);
  });

  test('retries get 429 at once while the transaction of the first call is open', async () => {
    const { stack, create, countEndpoints } = suite;
    const key = randomUUID();
    // The call marks its key first and then waits for this lock.
    const first = await whileLocked(
      stack,
      'lock table notifications.webhook_endpoint in exclusive mode',
      [],
      async () => {
        const pending = create('marked', key);
        const waiting = `pg_stat_activity where datname = current_database() and application_name like 'bailiwick-notifications%' and wait_event_type = 'Lock'`;
        await eventually(
          'the change to wait for the lock',
          async () => (await countOf(stack, waiting)) >= 1,
        );
        const started = performance.now();
        const answers = await Promise.all(Array.from({ length: 30 }, () => create('marked', key)));
        for (const answer of answers)
          assertRefused(answer, 429, 'resource_exhausted', [inProgress]);
        const took = performance.now() - started;
        assert.ok(took < 4000, `${took} ms`);
        return { pending };
      },
    );
    bodyOf(await first.pending);
    assert.equal(await countEndpoints('marked'), 1);
  });

  test('a call that fails after its commit is not run again, and a retry says so at once', async () => {
    const { stack, ada, tenant, create } = suite;
    const { ID } = bodyOf(await create('tested', randomUUID()))['Endpoint'] as { ID: string };
    const key = randomUUID();
    const sendTest = () =>
      stack.call('Webhooks_SendTest', { Tenant: tenant, ID }, ada.token, keyed(key));
    await rowsOf(
      stack,
      `create function notifications.refuse_attempt() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    );
    await rowsOf(
      stack,
      `create trigger refuse_attempt before insert on notifications.delivery_attempt for each row execute function notifications.refuse_attempt()`,
    );
    try {
      assert.equal((await sendTest()).status, 500);
    } finally {
      await rowsOf(stack, 'drop function notifications.refuse_attempt cascade');
    }
    for (let repetition = 0; repetition < 2; repetition++) {
      const refused = await sendTest();
      assert.deepEqual([refused.status, refused.body.Code], [400, 'failed_precondition']);
    }
  });

  test('a key has 1 to 255 printable ASCII characters, and a violation is reported with all other failures', async () => {
    const { create } = suite;
    const rule = 'Idempotency-Key must be 1 to 255 printable ASCII characters';
    for (const key of ['', 'k'.repeat(256), 'caf\u00e9', 'tab\tbed']) {
      const answer = await create('', key);
      assert.equal(answer.status, 400, JSON.stringify(key));
      assert.deepEqual(
        [...(answer.body.Messages ?? [])].sort(),
        [rule, 'endpoint name is required'].sort(),
        JSON.stringify(key),
      );
    }
    for (const key of ['k', 'k'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '!~ %00'])
      assert.equal((await create('well-named', key)).status, 200, key);
  });

  test('operations without changes and operations without a credential ignore the header', async () => {
    const { stack, ada, tenant } = suite;
    const read = () =>
      stack.call('Webhooks_ListEndpoints', { Tenant: tenant }, ada.token, keyed('\u00e9'));
    assert.equal(isReplayed((await read(), await read())), false);
    const login = () =>
      stack.call(
        'Account_Login',
        { Email: ada.email, Password: 'correct horse battery' },
        undefined,
        keyed('sign-in'),
      );
    const [first, second] = [bodyOf(await login()), bodyOf(await login())];
    assert.notEqual(first['Token'], second['Token']);
  });

  test('a key can be used again after 24 hours', async () => {
    const { saveGroup, age } = suite;
    const key = randomUUID();
    bodyOf(await saveGroup('daily', key));
    await age('access', '23 hours 58 minutes');
    assert.equal(isReplayed(await saveGroup('daily', key)), true);
    await age('access', '3 minutes');
    const afterExpiry = await saveGroup('daily', key);
    assert.deepEqual([afterExpiry.status, isReplayed(afterExpiry)], [200, false]);
  });

  test('the sweeper deletes expired calls in batches, and no others', async () => {
    const { stack } = suite;
    await rowsOf(
      stack,
      `insert into sso.idempotent_call (id, attempt, request, claimed_at)
       select n::text, '', '', now() - case n when 0 then interval '23 hours' else interval '25 hours' end from generate_series(0, 2500) n`,
    );
    const inSso = { databaseUrl: `${stack.databaseUrl}?options=-c%20search_path%3Dsso` };
    const query = ((statement, values) =>
      rowsOf(inSso, statement.text, values)) as Database['query'];
    await sweepCalls({ query } as Database, () => false);
    assert.deepEqual(await rowsOf(stack, 'select id from sso.idempotent_call'), [{ id: '0' }]);
  });

  test('secrets and keys of stored calls are not readable at rest or in a log', async () => {
    const { stack, ada, tenant, create } = suite;
    const key = `a-telling-key-${randomUUID()}`;
    const { Secret } = bodyOf(await create('sealed', key));
    const invited = await stack.call(
      'TenantInvitations_Create',
      { Tenant: tenant, Email: 'invited@example.com' },
      ada.token,
      keyed(key),
    );
    const bot = await createBot(stack, tenant, ada.token);
    const answer = await stack.call(
      'BotKeys_Create',
      { Tenant: tenant, Bot: bot.ID, Name: 'ci' },
      ada.token,
      keyed(key),
    );
    const secrets = [
      String(Secret),
      String(bodyOf(invited)['Token']),
      String(bodyOf(answer)['Secret']),
      key,
    ];
    for (const service of ['identity', 'access', 'notifications'] as const) {
      assert.ok(
        (await countOf(stack, `${service}.idempotent_call where answer is not null`)) > 0,
        service,
      );
      const dump = await dumpOf(stack, service);
      for (const text of [dump, stack.logOf(service), stack.logOf('gateway')])
        for (const secret of secrets)
          assert.ok(!text.includes(secret), `${service} shows ${secret.slice(0, 6)}`);
      for (const { answer } of await rowsOf<{ answer: string }>(
        stack,
        `select answer from ${service}.idempotent_call where answer is not null`,
      ))
        for (const secret of secrets)
          assert.ok(!Buffer.from(answer.split('.')[1] ?? '', 'base64url').includes(secret));
    }
  });
});
