import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementsOf } from './support/statements.ts';
import { type Reach, reachOf, type TenantTables } from './support/tenants.ts';

// The rules by which architecture.test.ts judges the statements of the product.

test('the tenant rule finds a statement that forgets a tenant', () => {
  const tables: TenantTables = new Map([
    ['entry', ['tenant', 'id']],
    ['member', ['tenant', 'entry', 'user_id']],
    ['task', ['id']],
  ]);
  const cases: Record<Reach, string[]> = {
    given: [
      'select e.id from entry e where e.tenant = $1 and e.id = $2',
      "select id from entry where tenant in ($1, '')",
      'select id from entry where (tenant, id) = ($1, $2)',
      "select id from entry where tenant = any (string_to_array($1, ','))",
      'select e.id from member m join entry e on e.tenant = m.tenant and e.id = m.entry where m.tenant = $1',
      'select e.id from member m join entry e using (tenant) where m.tenant = $1',
      'select e.id from member m left join entry e on e.tenant = m.tenant where m.tenant = $1',
      'select e.id from entry e join tenant t on t.id = e.tenant where t.id = $1',
      'select id from entry e where tenant = $1 and not exists (select from member m where m.tenant = e.tenant)',
      'with own as (select tenant as place from entry where tenant = $1) select 1 from member join own on tenant = own.place',
      'select id from entry where tenant = $1 union select entry from member where tenant = $1',
      'update entry set name = $2 from member m where entry.tenant = m.tenant and m.tenant = $1',
      'delete from entry e using member m where e.tenant = $1 and m.tenant = e.tenant',
      'insert into entry (id, tenant) select m.entry, m.tenant from member m where m.tenant = $1',
      'insert into entry (tenant, id) values ($1, $2) on conflict (tenant, id) do update set id = $2',
      'delete from task where id in (select id from task where tenant = $1 limit 9)',
    ],
    each: [
      'select e.id from entry e where e.id = $1',
      'select e.tenant from entry e where e.id = $1',
      'select id from entry where tenant = $1 or id = $2',
      'select id from entry where tenant <> $1',
      'select id from entry where not (tenant = $1)',
      'select id from entry where tenant = tenant',
      'select e.id from member m join entry e on e.tenant = m.tenant and e.id = m.entry where m.user_id = $1',
      'select m.entry from member m left join entry e on e.tenant = m.tenant and m.tenant = $1',
      'select e.id from entry e where exists (select from member m where m.tenant = $1 and e.tenant = m.tenant)',
      'select e.id from entry e left join tenant t on t.id = e.tenant and t.id = $1',
      'select id from (select id, tenant from entry) e where id = $1',
      'delete from entry where id = $1',
      'update entry set tenant = $1',
      'insert into entry (id, tenant) select entry, tenant from member',
    ],
    any: [
      'select e.id from member m join entry e on e.id = m.entry where m.tenant = $1',
      'select e.id from entry e, member m where e.tenant = $1 and m.entry = e.id',
      'select id from entry e where tenant = $1 and not exists (select from member m where m.entry = e.id)',
      'select m.entry from member m left join entry e on e.id = m.entry where m.tenant = $1',
      'select m.entry from member m left join entry e on m.tenant = $1 where e.tenant = $1',
      'with own as (select id from entry) select 1 from member join own on entry = own.id where tenant = $1',
      'select id from entry where tenant = $1 union select entry from member where user_id = $2',
      'update entry set name = $2 from member m where entry.id = m.entry and m.tenant = $1',
      'delete from entry e using member m where e.id = m.entry and e.tenant = $1',
      'insert into entry (tenant, id) select $1, m.entry from member m where m.user_id = $2',
      'insert into task (tenant, id) values ($1, $2) on conflict (id) do update set tenant = $1',
      'delete from entry where tenant = $1 and id in (select entry from member where user_id = $2)',
    ],
  };
  for (const [reach, texts] of Object.entries(cases))
    for (const text of texts) assert.equal(reachOf(text, tables), reach, text);
});

test('a statement whose text is not constant is rejected, against SQL injection', () => {
  const inject = 'const find = (tx, id) => tx.query(`select 1 from entry where id = ${id}`, []);';
  assert.throws(() => statementsOf('x', inject), /SQL is not constant: id/);
});
