import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Migration } from '@mikro-orm/migrations';
import { fromBaseline, type ServiceSchema, versionOf } from './baseline.ts';

class NoMigration extends Migration {
  override up(): void {}
}

const schema: ServiceSchema = {
  service: 'access',
  entities: [],
  migrations: ['004-baseline', '005-next'].map((name) => ({ name, class: NoMigration })),
  baseline: { version: 3, last: '003-last' },
  compatibleFrom: 1,
};
const former = ['001-initial', '002-more', '003-last'];

test('versions go on counting after the migrations that the baseline replaced', () => {
  assert.equal(versionOf({ ...schema, migrations: schema.migrations.slice(0, 1) }), 3);
  assert.equal(versionOf(schema), 4);
});

for (const [what, applied, names] of [
  ['a new database', [], []],
  ['a database of the former migrations', former, ['004-baseline']],
  ['an upgraded database', [...former, '004-baseline', '005-next'], ['004-baseline', '005-next']],
  ['a database of the baseline', ['004-baseline'], ['004-baseline']],
] as const)
  test(`the applied migrations of ${what} begin with the baseline`, () => {
    assert.deepEqual(fromBaseline(schema, applied), names);
  });

test('some of the former migrations are refused with the commit that has the others', () => {
  for (const applied of [former.slice(0, 2), ['001-initial', '002-more', '003-other']])
    assert.throws(
      () => fromBaseline(schema, applied),
      /run the migrations of commit ec3c71c1 first$/,
    );
});
