import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderValues } from './api-record.ts';
import { affectsSignIn } from './changes.ts';
import { compareCertificates, day, settledCertificates } from './rollover/certificates.ts';

const now = new Date('2026-06-01T12:00:00Z');

test('a running sign-in survives that a certificate comes to count, and no other change of them', () => {
  const only = { idpCertificates: ['a'], pendingCertificates: [], leavingCertificates: [] };
  const announced = compareCertificates(only, ['b'], 'auto', now).after;
  const values = (certificates: object) =>
    ({ attributeMap: {}, ...certificates }) as unknown as ProviderValues;
  const affects = (before: object, after: object, days: number) =>
    affectsSignIn(values(before), values(after), new Date(now.getTime() + days * day));
  for (const days of [1, 7]) {
    const later = settledCertificates(announced, new Date(now.getTime() + days * day));
    assert.equal(affects(announced, later, days), false, `${days}`);
  }
  assert.equal(affects(only, announced, 0), false);
  assert.equal(affects(announced, { ...only, idpCertificates: ['b'] }, 0), true);
  assert.equal(affects(only, { ...only, idpCertificates: ['a', 'c'] }, 0), true);
});
