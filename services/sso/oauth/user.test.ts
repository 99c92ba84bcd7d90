import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInRefused } from '../refusal.ts';
import { primaryOf, subjectOf } from './user.ts';

const isRefused = (detail: RegExp) => (error: unknown) =>
  error instanceof SignInRefused && detail.test(error.detail);

test('subjectOf accepts texts and exact whole numbers, and refuses everything else', () => {
  assert.equal(subjectOf({ id: 583_231 }, 'id'), '583231');
  assert.equal(subjectOf({ sub: 'u-1' }, 'sub'), 'u-1');
  const refused = [undefined, null, '', 'x'.repeat(256), 1.5, 2 ** 53, Number.NaN, true, ['1'], {}];
  for (const id of refused) assert.throws(() => subjectOf({ id }, 'id'), isRefused(/no id/));
  // An inherited property is not a field.
  assert.throws(() => subjectOf({}, 'toString'));
});

test('primaryOf takes the one primary address, and only `true` verifies it', () => {
  const primary = { email: 'ada@example.com', primary: true };
  assert.deepEqual(primaryOf([{ email: 'b@example.com', verified: true }, primary]), {
    email: 'ada@example.com',
    email_verified: false,
  });
  assert.deepEqual(primaryOf([{ ...primary, verified: true }, null, 'text', { primary: true }]), {
    email: 'ada@example.com',
    email_verified: true,
  });
  assert.equal(primaryOf([{ ...primary, verified: 'true' }]).email_verified, false);
  assert.deepEqual(primaryOf([]), { email: '', email_verified: false });
  assert.throws(() => primaryOf([primary, primary]), isRefused(/several primary addresses/));
});
