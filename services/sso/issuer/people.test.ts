import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UserSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/user_pb.ts';
import { create } from '@bufbuild/protobuf';
import { profileOf } from './people.ts';

test('apps get names without control characters and direction marks, also those stored before', () => {
  const stored = 'Ada\u202e\nLovelace';
  const user = create(UserSchema, { name: stored, givenName: stored, familyName: stored });
  const name = 'Ada Lovelace';
  assert.deepEqual(profileOf(user), { name, given_name: name, family_name: name });
  assert.deepEqual(profileOf(undefined), {});
});
