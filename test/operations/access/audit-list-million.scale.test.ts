import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Path, statementOf, targetCount } from '@bailiwick/access/audit/list/queries.ts';
import pg from 'pg';
import { readPage } from '../../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { countOf, rowsOf } from '../../support/store.ts';
import type { Entry } from './audit-entries.ts';

const million = 1_000_000;

// Every 1,000th entry is another actor's, every 100th is denied, and half are of one operation. One
// target has as many entries as its index may find, and every $3rd entry is of a role.
const fill = `
  insert into access.audit_entry
  select tenant, 'aud_' || lpad(n::text, 26, '0'), e.seq + n, occurred_at + make_interval(secs => n),
    case n % 4 when 0 then 'group.member_added' when 1 then 'group.member_removed' when 2 then 'grant.added' else 'user.updated' end,
    case n % 2 when 0 then 'Groups_AddMember' else 'Users_Update' end, case n % 100 when 0 then 'denied' else 'success' end, code, 'user',
    case n % 1000 when 0 then 'usr_rare' else 'usr_busy' end, credential_id, targets,
    array['grp_' || n, 'grp_busy_' || n % 4] || case n % 100 when 0 then array['grp_often'] else '{}' end || case n % 2000 when 0 then array['grp_few'] else '{}' end || case n % $3::int when 0 then array['admin'] else '{}' end, permission, grant_id,
    '192.0.2.' || n % 8, user_agent, request_id, trace_id, changes, prev_hash, hash
  from (select * from access.audit_entry where tenant = $2 order by seq desc limit 1) e cross join generate_series(1, $1::int) n`;

describeOne('a million audit entries', 'one process', (topology) => {
  let stack: Stack;
  let token = '';
  let Tenant = '';
  let middle = '';
  before(async () => {
    stack = await startStack(topology, { BAILIWICK_LIMITS: 'off' });
    ({ token } = await signUp(stack));
    Tenant = await createTenant(stack, token);
    const other = await createTenant(stack, token);
    for (const tenant of [Tenant, other])
      await eventually(
        'the entries of its creation',
        async () => (await countOf(stack, 'access.audit_entry where tenant = $1', [tenant])) >= 3,
      );
    await rowsOf(stack, fill, [million, Tenant, million / 2]);
    await rowsOf(stack, fill, [million / 10, other, 1]);
    const [half] = await rowsOf<{ at: Date }>(
      stack,
      `select occurred_at as at from access.audit_entry where tenant = $1 and id = 'aud_' || lpad($2::text, 26, '0')`,
      [Tenant, million / 2],
    );
    middle = half?.at.toISOString() ?? '';
    await rowsOf(stack, 'vacuum analyze access.audit_entry');
  });
  after(() => stack?.stop());

  const future = '2999-01-01T00:00:00Z';
  // The number of entries on the first page.
  const cases: Array<[filter: object, expected: number]> = [
    [{}, 50],
    [{ Actions: ['group.member_added'] }, 50],
    [{ ActionPrefix: 'group.' }, 50],
    [{ ActionPrefix: 'nothing.' }, 0],
    [{ Actions: ['nothing'] }, 0],
    [{ OperationPrefix: 'Users_' }, 50],
    [{ ActorIDs: ['usr_rare'] }, 50],
    [{ ActorIDs: ['usr_other'] }, 0],
    [{ TargetIDs: ['grp_5'] }, 1],
    [{ TargetIDs: ['grp_other'] }, 0],
    [{ TargetIDs: ['grp_busy_1'] }, 50],
    [{ TargetIDs: ['grp_often'] }, 50],
    [{ TargetIDs: ['grp_often'], From: future }, 0],
    [{ TargetIDs: ['grp_few'] }, 50],
    [{ TargetIDs: ['admin'] }, 2],
    [{ IP: '203.0.113.1' }, 0],
    [{ Result: 'denied' }, 50],
    [{ Result: 'failed' }, 0],
    [{ From: future }, 0],
    [{ To: '1999-01-01T00:00:00Z' }, 0],
    [{ From: future, Result: 'success' }, 0],
    [{ From: future, ActorIDs: ['usr_busy'] }, 0],
    [{ ActorIDs: ['usr_rare'], ActionPrefix: 'user.' }, 0],
    [{ ActorIDs: ['usr_busy'], Result: 'denied', IP: '192.0.2.4' }, 50],
  ];

  test('Audit_List answers every filter, also one that matches nothing, without reading all entries', async () => {
    const inThePast = { TargetIDs: ['grp_often'], To: middle };
    const inTheEnd = { TargetIDs: ['grp_often'], From: middle };
    for (const [Filter, expected] of [...cases, [inThePast, 50], [inTheEnd, 50]] as typeof cases)
      for (const OldestFirst of [false, true]) {
        const request = { Tenant, Filter, OldestFirst };
        const { Items } = await readPage<Entry>(stack, 'Audit_List', request, token);
        assert.equal(Items.length, expected, JSON.stringify(request));
      }
  });

  test('Audit_List reads less than 1,500 blocks on every path, with a plan for any values too', async () => {
    const far = new Date(future);
    const values: Array<[path: Path, parameters: Record<number, unknown>]> = [
      ['action', { 3: ['nothing', 'grant.added'] }],
      ['actor', { 4: ['usr_rare'] }],
      ['target', { 5: ['grp_5'] }],
      ['target', { 5: ['grp_few'] }],
      ['target', { 5: ['admin'] }],
      ['ip', { 6: '192.0.2.1' }],
      ['result', { 7: 'denied' }],
      ['period', { 8: far }],
      ['shortPeriod', { 8: far }],
      ['operation', { 10: ['Users_Update'] }],
      ['all', {}],
    ];
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    await client.query('set search_path = access');
    const assertFewBlocks = async (name: string, text: string, parameters: unknown[]) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>({
        text: `explain (analyze, buffers) ${text}`,
        name,
        values: parameters,
      });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      const [, hit, read] = /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/.exec(plan) ?? [];
      assert.ok(Number(hit ?? 0) + Number(read ?? 0) < 1500, plan);
    };
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      await client.query(`set plan_cache_mode = ${mode}`);
      for (const [path, parameters] of values)
        for (const oldestFirst of [false, true]) {
          const { name, text } = statementOf({ path, oldestFirst });
          // Tenant, after and candidates, the filter, and the limit.
          const bound = [Tenant, null, 51, ...Array.from({ length: 8 }, () => null), 51];
          await assertFewBlocks(
            `${mode} ${name}`,
            text,
            bound.map((parameter, position) => parameters[position] ?? parameter),
          );
        }
      for (const target of ['grp_few', 'grp_often', 'admin'])
        await assertFewBlocks(`${mode} count`, targetCount.text, [Tenant, [target], 501]);
    }
    await client.end();
  });
});
