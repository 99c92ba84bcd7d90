import assert from 'node:assert/strict';
import { test } from 'node:test';
import { platformPlace } from '@bailiwick/contract';
import { TenantSettingsSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import { CallerSchema } from '@bailiwick/proto/gen/bailiwick/common/v1/caller_pb.ts';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { assertFactorProven, type FactorDemand, mergeFactor } from './factor.ts';

const now = Date.parse('2026-01-10T00:00:00Z');
const soon = '2026-01-17T00:00:00.000Z';
const today = '2026-01-10T00:00:00.000Z';
const past = '2026-01-01T00:00:00.000Z';

const merge = (
  stored: FactorDemand | undefined,
  input: MessageInitShape<typeof TenantSettingsSchema>,
): FactorDemand => mergeFactor(stored, create(TenantSettingsSchema, input), now);

const any: FactorDemand = { required: 'any', graceDays: 7, from: past, before: 'off' };
const strict: FactorDemand = { ...any, required: 'phishing_resistant' };

test('a stricter requirement is in force after the days of grace, and the previous one until then', () => {
  assert.deepEqual(merge(undefined, { requireFactor: 'any', factorGraceDays: 7 }), {
    ...any,
    from: soon,
  });
  assert.deepEqual(merge(any, { requireFactor: 'phishing_resistant' }), {
    ...strict,
    from: soon,
    before: 'any',
  });
});

test('a looser requirement is in force at once', () => {
  const now = { from: today, before: 'any' };
  assert.deepEqual(merge(strict, { requireFactor: 'any' }), { ...any, ...now });
  assert.equal(merge(strict, { requireFactor: 'off' }).required, 'off');
  const waiting = { ...strict, before: 'any', from: soon };
  assert.deepEqual(merge(waiting, { requireFactor: 'any' }), { ...any, ...now });
});

test('more days of grace do not suspend a requirement that is in force', () => {
  const { required, from } = merge(any, { factorGraceDays: 90 });
  assert.deepEqual([required, from], ['any', past]);
});

test('a repeated requirement stays as it is', () => {
  assert.deepEqual(merge(any, { requireFactor: 'any', factorGraceDays: 7 }), any);
});

test('a user can only bring a requirement into force that the own session meets', () => {
  const check = (assurance: string, level: string, days = 0, type = 'user') => {
    const after = merge(undefined, { requireFactor: level, factorGraceDays: days });
    assertFactorProven(create(CallerSchema, { type, assurance }), {
      tenant: 'tnt_own',
      before: undefined,
      after,
      now,
    });
  };
  const refused = { reason: 'FACTOR_UNPROVEN' };
  for (const assurance of ['', 'aal1']) assert.throws(() => check(assurance, 'any'), refused);
  assert.throws(() => check('aal2', 'phishing_resistant'), refused);
  check('aal2', 'any');
  check('phishing_resistant', 'any');
  check('phishing_resistant', 'phishing_resistant');
  check('', 'phishing_resistant', 1);
  check('', 'phishing_resistant', 0, 'bot');
});

test('a session from a provider proves a factor to its own tenant, and to others with the account’s own factors only', () => {
  const check = (ssoTenant: string, ownAssurance: string, level = 'any') => {
    const caller = { type: 'user', assurance: 'phishing_resistant', ownAssurance, ssoTenant };
    assertFactorProven(create(CallerSchema, caller), {
      tenant: 'tnt_own',
      before: undefined,
      after: merge(undefined, { requireFactor: level }),
      now,
    });
  };
  const refused = { reason: 'FACTOR_UNPROVEN' };
  check('tnt_own', '', 'phishing_resistant');
  for (const elsewhere of ['tnt_other', platformPlace]) {
    for (const own of ['', 'aal1']) assert.throws(() => check(elsewhere, own), refused);
    check(elsewhere, 'aal2');
    assert.throws(() => check(elsewhere, 'aal2', 'phishing_resistant'), refused);
    check(elsewhere, 'phishing_resistant', 'phishing_resistant');
  }
});
