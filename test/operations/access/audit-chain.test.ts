import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { appendEntries } from '@bailiwick/access/audit/append.ts';
import { entryOf } from '@bailiwick/access/audit/chain.ts';
import { pruneAudit, renewSignatures } from '@bailiwick/access/audit/prune.ts';
import { verifyChain } from '@bailiwick/access/audit/verify.ts';
import { serviceOrigin } from '@bailiwick/contract';
import { parseKeyRing } from '@bailiwick/keys';
import { createLog } from '@bailiwick/process';
import type { Database } from '@bailiwick/store';
import { bodyOf } from '../../support/answers.ts';
import { type Chains, dayMs, openChains, recent } from '../../support/audit-chains.ts';
import { type Stack, startStack } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';

type Problem = { Seq: number; ID: string; Kind: string; Message: string };
type Verdict = {
  Valid: boolean;
  Checked: number;
  Problems: Problem[];
  NextCursor: string;
  Seq: number;
  Hash: string;
};

// The chain when someone with database access changes it, and when retention shortens it.
describe('the audit chain', () => {
  let stack: Stack;
  let chains: Chains;
  let database: Database;
  let owner: Awaited<ReturnType<typeof signUp>>;
  before(async () => {
    stack = await startStack('one process');
    owner = await signUp(stack);
    chains = openChains(stack, owner.id);
    ({ database } = chains);
  });
  after(async () => {
    await chains?.close();
    await stack?.stop();
  });

  const tenantWith = (ages: readonly number[]) => chains.tenantWith(ages);
  const draft = (tenant: string, at: Date) => chains.draft(tenant, at);

  const ask = (Tenant: string, Cursor = '') =>
    stack.call('Audit_Verify', { Tenant, Cursor }, stack.platformKey);
  const verify = async (tenant: string, cursor = '') =>
    bodyOf(await ask(tenant, cursor)) as unknown as Verdict;
  const problemsOf = async (tenant: string) =>
    (await verify(tenant)).Problems.map(({ Seq, Kind }) => `${Kind} at ${Seq}`);

  test('Audit_Verify accepts an unchanged chain', async () => {
    const tenant = await tenantWith(recent(50));
    const { Valid, Checked, Problems, NextCursor, Seq } = await verify(tenant);
    assert.deepEqual(
      { Valid, Checked, Problems, NextCursor, Seq },
      { Valid: true, Checked: 50, Problems: [], NextCursor: '', Seq: 50 },
    );
  });

  test('entries that replicas append at once, some of them twice, are in their chains once', async () => {
    const [one, other] = [await tenantWith([]), await tenantWith([])];
    const entries = Array.from({ length: 120 }, (_, index) =>
      entryOf(draft(index % 3 === 0 ? other : one, new Date())),
    );
    // A batch of eight overlaps the next one by four.
    const batches = Array.from({ length: 30 }, (_, at) => entries.slice(4 * at, 4 * at + 8));
    await Promise.all(
      [...batches, ...batches].map(async (batch) => {
        for (;;)
          try {
            return await appendEntries(database, batch);
          } catch (error) {
            // The projector appends a batch again that other replicas kept from its chain.
            assert.equal((error as { code?: string }).code, 'unavailable');
          }
      }),
    );
    for (const [tenant, count] of [
      [one, 80],
      [other, 40],
    ] as const) {
      const { Valid, Checked, Seq } = await verify(tenant);
      assert.deepEqual({ Valid, Checked, Seq }, { Valid: true, Checked: count, Seq: count });
    }
  });

  const attacks: ReadonlyArray<readonly [string, string, string[]]> = [
    [
      'a changed text',
      `update access.audit_entry set action = 'group.deleted' where tenant = $1 and seq = 20`,
      ['changed at 20'],
    ],
    [
      'a changed time',
      `update access.audit_entry set occurred_at = occurred_at + interval '1 ms' where tenant = $1 and seq = 1`,
      ['changed at 1'],
    ],
    [
      'a changed target',
      `update access.audit_entry set targets = '[]' where tenant = $1 and seq = 50`,
      ['changed at 50'],
    ],
    [
      'a removed entry',
      `delete from access.audit_entry where tenant = $1 and seq = 20`,
      ['missing at 20'],
    ],
    [
      'removed first entries',
      `delete from access.audit_entry where tenant = $1 and seq < 4`,
      ['missing at 1'],
    ],
    [
      'removed last entries',
      `delete from access.audit_entry where tenant = $1 and seq > 45`,
      ['missing at 46'],
    ],
    [
      'two swapped entries',
      `update access.audit_entry set seq = 20 + 1000 - seq + 20 + 1 - 1000 where tenant = $1 and seq in (20, 21)`,
      ['changed at 20', 'changed at 21', 'reordered at 20', 'reordered at 21', 'reordered at 22'],
    ],
    [
      'an entry rewritten with its hash',
      `update access.audit_entry set action = 'x', hash = repeat('0', 64) where tenant = $1 and seq = 50`,
      ['changed at 50', 'changed at 50'],
    ],
  ];
  for (const [what, attack, expected] of attacks) {
    test(`Audit_Verify detects ${what}`, async () => {
      const tenant = await tenantWith(recent(50));
      await rowsOf(stack, 'alter table access.audit_entry drop constraint audit_entry_seq');
      await rowsOf(stack, attack, [tenant]);
      assert.deepEqual((await problemsOf(tenant)).sort(), expected);
      await rowsOf(stack, 'delete from access.audit_entry where tenant = $1', [tenant]);
      await rowsOf(
        stack,
        'alter table access.audit_entry add constraint audit_entry_seq unique (tenant, seq)',
      );
    });
  }

  const prune = () => chains.prune();
  const keyRing = () => chains.keyRing();

  test('retention drops old entries, and the rest verifies from the signed checkpoint', async () => {
    const tenant = await tenantWith([500, 450, 410, 399, 100, 1]);
    const other = await tenantWith([500, 450, 1]);
    await rowsOf(
      stack,
      `update access.tenant set settings = '{"auditRetentionDays": 1000}' where id = $1`,
      [other],
    );
    // A tenant that was sent back as read has 0 for an unset retention.
    const unset = await tenantWith([500, 100, 1]);
    await rowsOf(
      stack,
      `update access.tenant set settings = '{"auditRetentionDays": 0}' where id = $1`,
      [unset],
    );
    await prune();
    assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [tenant]), 3);
    assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [other]), 3);
    assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [unset]), 2);
    const { Valid, Checked, Seq } = await verify(tenant);
    assert.deepEqual({ Valid, Checked, Seq }, { Valid: true, Checked: 3, Seq: 6 });
    // No more entries are due, and dropping more than was due is detected.
    await prune();
    assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [tenant]), 3);
    await rowsOf(stack, 'delete from access.audit_entry where tenant = $1 and seq = 4', [tenant]);
    assert.deepEqual(await problemsOf(tenant), ['missing at 4']);
    await rowsOf(
      stack,
      'update access.audit_checkpoint set seq = 4, hash = (select prev_hash from access.audit_entry where tenant = $1 and seq = 5) where tenant = $1',
      [tenant],
    );
    assert.deepEqual(await problemsOf(tenant), ['changed at 4']);
  });

  for (const [what, change] of [
    [
      'contents',
      `update access.audit_entry set action = 'group.deleted' where tenant = $1 and seq = 2`,
    ],
    [
      'time',
      `update access.audit_entry set occurred_at = occurred_at - interval '900 days' where tenant = $1 and seq = 3`,
    ],
    [
      'signed checkpoint',
      `insert into access.audit_checkpoint values ($1, 1, repeat('0', 64), '', now())`,
    ],
  ] as const) {
    test(`retention drops no entry if the ${what} of old entries changed`, async () => {
      const tenant = await tenantWith([500, 450, 100, 1]);
      const checkpoints = () =>
        rowsOf(
          stack,
          'select seq, hash, signature from access.audit_checkpoint where tenant = $1',
          [tenant],
        );
      await rowsOf(stack, change, [tenant]);
      const before = await checkpoints();
      await prune();
      assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [tenant]), 4);
      assert.deepEqual(await checkpoints(), before);
      assert.equal((await verify(tenant)).Valid, false);
    });
  }

  test('retention drops old entries in batches, and an error in one tenant does not stop the other tenants', async () => {
    const failing = await tenantWith([]);
    for (let round = 0; round < 2; round++)
      await appendEntries(
        database,
        recent(1000).map(() => entryOf(draft(failing, new Date(Date.now() - 500 * dayMs)))),
      );
    const others = await tenantWith([500, 1]);
    await rowsOf(
      stack,
      `create function access.fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger fail before update on access.audit_checkpoint for each row when (new.tenant = '${failing}') execute function access.fail()`,
    );
    try {
      await prune();
      assert.equal(
        await countOf(stack, 'access.audit_entry where tenant = $1', [failing]),
        1000,
        'the first 1,000 are dropped; the batch that fails is not',
      );
      assert.equal(await countOf(stack, 'access.audit_entry where tenant = $1', [others]), 1);
      const { Valid, Checked, Seq } = await verify(failing);
      assert.deepEqual({ Valid, Checked, Seq }, { Valid: true, Checked: 1000, Seq: 2000 });
    } finally {
      await rowsOf(
        stack,
        'drop trigger fail on access.audit_checkpoint; drop function access.fail()',
      );
    }
    await prune();
    assert.equal(
      await countOf(stack, 'access.audit_entry where tenant = $1', [failing]),
      1,
      'the newest entry of a chain stays',
    );
    assert.equal((await verify(failing)).Valid, true);
  });

  test('the first key of the ring re-signs a checkpoint, so that the old key can leave the ring', async () => {
    const tenant = await tenantWith([500, 100, 1]);
    const old = keyRing();
    await pruneAudit({
      database,
      keyRing: old,
      retentionDays: 400,
      log: createLog('test', () => {}),
    });
    const next = parseKeyRing(`next:${randomBytes(32).toString('base64')}`);
    assert.notDeepEqual((await verifyChain(database, next, tenant, {})).problems, []);
    assert.equal(
      await renewSignatures({ database, keyRing: next }),
      0,
      'a checkpoint that no key of the ring has signed stays as it is',
    );
    assert.ok((await renewSignatures({ database, keyRing: [...next, ...old] })) > 0);
    assert.deepEqual((await verifyChain(database, next, tenant, {})).problems, []);
    assert.equal(await renewSignatures({ database, keyRing: next }), 0);
  });

  test('the service’s database role can drop no young entry, and none without a checkpoint', async () => {
    const tenant = await tenantWith([100, 1]);
    const asService = (text: string) =>
      database.write(serviceOrigin('test'), { name: '', text }, [tenant]).then(
        (rows) => JSON.stringify(rows),
        (error: Error) => error.message,
      );
    assert.match(await asService('delete from audit_entry where tenant = $1'), /permission denied/);
    assert.equal(await asService('select drop_audit($1) as dropped'), '[{"dropped":0}]');
    await asService(`insert into audit_checkpoint values ($1, 2, '', '', now())`);
    assert.equal(await asService('select drop_audit($1) as dropped'), '[{"dropped":1}]');
  });
});
