import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '@bailiwick/deploy/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { appliedIn, structureOf } from '../upgrade/structure.ts';
import { findPrevious, install, openVersion } from '../upgrade/versions.ts';

// Installs the tree of the previous version, which takes most of the time.

const { tree, skip } = await findPrevious();

test('an installation of the previous version gets the schemas of a new one', {
  skip,
}, async (t) => {
  await install(tree ?? assert.fail());
  const [previous, current] = [await openVersion(tree), await openVersion()];
  const upgraded = await createTestDatabase({ isEmpty: true });
  t.after(() => upgraded.drop());
  const created = await createTestDatabase({ isEmpty: true });
  t.after(() => created.drop());
  await previous.migrate(upgraded.url);
  const former = await appliedIn(upgraded.url);
  await current.migrate(upgraded.url);
  await current.migrate(created.url);
  const structure = await structureOf(created.url);
  assert.ok(structure.length > 500, String(structure.length));
  assert.deepEqual(await structureOf(upgraded.url), structure);

  const ours = schemas.flatMap(({ service, migrations }) =>
    migrations.map(({ name }) => `${service} ${name}`),
  );
  const applied = [...new Set([...former, ...ours])].sort();
  assert.deepEqual(await appliedIn(upgraded.url), applied);
  // The migrations of the previous version run once more in a rollback.
  await previous.migrate(upgraded.url);
  assert.deepEqual(await appliedIn(upgraded.url), applied);
  assert.deepEqual(await structureOf(upgraded.url), structure);
});
