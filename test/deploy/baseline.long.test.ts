import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemas } from '@bailiwick/deploy/migrate.ts';
import { createTestDatabase } from '../support/database.ts';
import { appliedIn, structureOf } from '../upgrade/structure.ts';
import { findPrevious, install, openVersion } from '../upgrade/versions.ts';

// Installs the tree of the previous version, which takes most of the time.

const { tree, skip } = await findPrevious();

test('the baselines make the same schemas as the migrations of the previous version', {
  skip,
}, async (t) => {
  await install(tree ?? assert.fail());
  const [previous, current] = [await openVersion(tree), await openVersion()];
  const upgraded = await createTestDatabase({ isEmpty: true });
  t.after(() => upgraded.drop());
  const created = await createTestDatabase({ isEmpty: true });
  t.after(() => created.drop());
  await previous.migrate(upgraded.url);
  await current.migrate(created.url);
  const structure = await structureOf(upgraded.url);
  assert.ok(structure.length > 500, String(structure.length));
  assert.deepEqual(await structureOf(created.url), structure);

  const former = await appliedIn(upgraded.url);
  const baselines = schemas.map(({ service, migrations }) => `${service} ${migrations[0]?.name}`);
  await current.migrate(upgraded.url);
  assert.deepEqual(await appliedIn(upgraded.url), [...former, ...baselines].sort());
  // The migrations of the previous version run once more in a rollback.
  await previous.migrate(upgraded.url);
  assert.deepEqual(await appliedIn(upgraded.url), [...former, ...baselines].sort());
  assert.deepEqual(await structureOf(upgraded.url), structure);
});
