import assert from 'node:assert/strict';
import { test } from 'node:test';
import { covers } from './permission-rules.ts';

test('a permission is covered by itself and by patterns of its own area', () => {
  assert.equal(covers(['iam.users.read'], 'iam.users.read'), true);
  assert.equal(covers(['iam.users.*'], 'iam.users.read'), true);
  assert.equal(covers(['iam.*'], 'iam.users.read'), true);
  assert.equal(covers(['*'], 'iam.users.read'), true);
  assert.equal(covers([], 'iam.users.read'), false);
  assert.equal(covers(['iam.users.read'], 'iam.users.write'), false);
  assert.equal(covers(['iam.groups.*'], 'iam.users.read'), false);
});

test('* and iam.* never include the permissions of the platform', () => {
  for (const wildcard of ['*', 'iam.*']) {
    assert.equal(covers([wildcard], 'iam.platform.users.read'), false);
    assert.equal(covers([wildcard], 'iam.internal.deliver'), false);
  }
  assert.equal(covers(['iam.platform.*'], 'iam.platform.users.read'), true);
});
