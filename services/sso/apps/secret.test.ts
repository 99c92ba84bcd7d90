import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecret, isSecretOf, noSecret } from './secret.ts';

const now = new Date('2026-01-31T12:00:00Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

test('isSecretOf accepts the secret of an app, and no other text', () => {
  const { secret, columns } = createSecret(now);
  assert.match(secret, /^bwka_[0-9A-Za-z]{49}$/);
  assert.equal(isSecretOf(columns, secret), true);
  for (const other of ['', `${secret} `, secret.toLowerCase(), createSecret(now).secret])
    assert.equal(isSecretOf(columns, other), false);
  assert.doesNotMatch(JSON.stringify(columns), new RegExp(secret));
});

test('isSecretOf accepts the previous secret until its time', () => {
  const [old, current] = [createSecret(now), createSecret(now)];
  const app = {
    ...current.columns,
    previousSecretHash: old.columns.secretHash,
    previousSecretUntil: later(60),
  };
  assert.equal(isSecretOf(app, old.secret, later(59)), true);
  assert.equal(isSecretOf(app, old.secret, later(60)), false);
  // The driver returns a time as text.
  const stored = { ...app, previousSecretUntil: '2026-01-31 12:01:00+00' };
  assert.equal(isSecretOf(stored, old.secret, later(59)), true);
  assert.equal(isSecretOf(stored, current.secret, later(3600)), true);
});

test('isSecretOf refuses every text for an app without a secret', () => {
  for (const text of ['', 'null', createSecret(now).secret])
    assert.equal(isSecretOf(noSecret, text), false);
});
