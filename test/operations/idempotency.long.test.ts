import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf } from '../support/answers.ts';
import { describeAll, eventually, type OwnStack, startStack } from '../support/harness.ts';
import { countOf, eventTypesOf, rowsOf, whileLocked } from '../support/store.ts';
import { inProgress, isReplayed, type KeyedCalls, startKeyedCalls } from './idempotency-calls.ts';

describeAll('Idempotency-Key when processes die', (topology) => {
  let stack: OwnStack;
  let suite: KeyedCalls;
  before(async () => {
    stack = await startStack(topology);
    suite = await startKeyedCalls(stack);
  });
  after(() => stack?.stop());

  const countGroups = (path: string) =>
    countOf(stack, 'access.group_entry where tenant = $1 and path = $2', [suite.tenant, path]);

  test('an attempt that outlives its lease cannot commit after a retry has taken over', async () => {
    const { tenant, saveGroup, age } = suite;
    const key = randomUUID();
    const [slow, repeated] = await whileLocked(
      stack,
      'lock table access.group_entry in exclusive mode',
      [],
      async () => {
        const first = saveGroup('slow', key);
        await waitForLocks(1);
        assertRefused(await saveGroup('slow', key), 429, 'resource_exhausted', [inProgress]);
        await age('access', '61 seconds');
        const second = saveGroup('slow', key);
        await eventually('the retry takes over', async () => {
          const fresh = await countOf(
            stack,
            `access.idempotent_call where not changed and answer is null and claimed_at > now() - interval '30 seconds'`,
          );
          return fresh === 1;
        });
        return [first, second] as const;
      },
    );
    assert.deepEqual([(await slow).status, (await repeated).status], [500, 200]);
    assert.equal(await countGroups('slow'), 1);
    assert.equal(
      (await eventTypesOf(stack, 'access', tenant)).filter((type) => type === 'group.updated')
        .length,
      0,
    );
  });

  test('a process killed before its commit has changed nothing, and a retry runs after the lease', async () => {
    const { saveGroup, age } = suite;
    const key = randomUUID();
    await whileLocked(stack, 'lock table access.group_entry in exclusive mode', [], async () => {
      const first = saveGroup('killed', key);
      await waitForLocks(1);
      stack.kill('access');
      await Promise.allSettled([first]);
    });
    await stack.ready();
    assertRefused(await saveGroup('killed', key), 429, 'resource_exhausted', [inProgress]);
    await age('access', '61 seconds');
    const again = await saveGroup('killed', key);
    assert.deepEqual([again.status, isReplayed(again)], [200, false]);
    assert.equal(await countGroups('killed'), 1);
  });

  test('a call whose answer was lost after its commit is not run again', async () => {
    const { create, countEndpoints } = suite;
    const key = randomUUID();
    await rowsOf(
      stack,
      `create function notifications.lose_answer() returns trigger language plpgsql as $$ begin raise 'lost'; end $$`,
    );
    await rowsOf(
      stack,
      `create trigger lose_answer before update of answer on notifications.idempotent_call for each row when (new.answer is not null) execute function notifications.lose_answer()`,
    );
    try {
      bodyOf(await create('lost', key));
    } finally {
      await rowsOf(stack, 'drop function notifications.lose_answer cascade');
    }
    for (let repetition = 0; repetition < 2; repetition++) {
      const refused = await create('lost', key);
      assert.deepEqual([refused.status, refused.body.Code], [400, 'failed_precondition']);
    }
    assert.equal(await countEndpoints('lost'), 1);
  });

  /** Waits until this many connections of access wait for a lock. */
  async function waitForLocks(count: number): Promise<void> {
    for (
      const deadline = Date.now() + 10_000;
      Date.now() < deadline;
      await new Promise((resolve) => setTimeout(resolve, 50))
    ) {
      const waiting = await countOf(
        stack,
        `pg_stat_activity where datname = current_database() and application_name like 'bailiwick-access%' and wait_event_type = 'Lock'`,
      );
      if (waiting >= count) return;
    }
    throw new Error('the call does not wait for the lock');
  }
});
