import assert from 'node:assert/strict';
import { test } from 'node:test';
import { common, includes } from './permission-patterns.ts';

test('a permission includes only itself', () => {
  assert.equal(includes(['iam.users.read'], 'iam.users.read'), true);
  for (const other of ['iam.users.write', 'iam.users', 'iam.users.read.all', 'iam.users.*', '*'])
    assert.equal(includes(['iam.users.read'], other), false, other);
});

test('a wildcard includes every permission below it, with either separator', () => {
  for (const permission of ['app.reports.read', 'app.reports.read.all', 'app.reports.*'])
    assert.equal(includes(['app.reports.*'], permission), true, permission);
  for (const permission of ['app.reports', 'app.reportsx.read', 'app.*', '*', 'iam.users.read'])
    assert.equal(includes(['app.reports.*'], permission), false, permission);
  assert.equal(includes(['app:reports:*'], 'app:reports:read'), true);
  assert.equal(includes(['app:reports:*'], 'app.reports.read'), false);
  assert.equal(includes(['*'], 'anything.at:all'), true);
});

test('neither * nor iam.* includes a permission of the platform or of the internals', () => {
  for (const pattern of ['*', 'iam.*'])
    for (const permission of [
      'iam.platform.users.read',
      'iam.internal.deliver',
      'iam.platform.*',
      'iam.internal.*',
    ])
      assert.equal(includes([pattern], permission), false, `${pattern} ${permission}`);
  assert.equal(includes(['iam.platform.*'], 'iam.platform.users.read'), true);
  assert.equal(includes(['iam.platform.*'], 'iam.internal.deliver'), false);
  assert.equal(includes(['iam.internal.*'], 'iam.internal.deliver'), true);
  assert.equal(includes(['*'], 'iam.*'), true);
});

test('an empty list of grants includes no permission', () => {
  for (const permission of ['*', 'iam.users.read', ''])
    assert.equal(includes([], permission), false);
});

test('two lists have the permissions in common that both include', () => {
  assert.deepEqual(common(['app.a.read', 'app.b.read'], ['app.a.read']), ['app.a.read']);
  assert.deepEqual(common(['app.*'], ['app.a.read', 'iam.users.read']), ['app.a.read']);
  assert.deepEqual(common(['app.a.read'], ['app.*']), ['app.a.read']);
  assert.deepEqual(common(['*'], ['iam.platform.users.read']), []);
  assert.deepEqual(common(['app.a.read'], []), []);
});
