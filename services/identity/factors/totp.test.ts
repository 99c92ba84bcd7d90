import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecret, otpauthUri, stepOf } from './totp.ts';

/** The secret of RFC 6238, appendix B, "12345678901234567890" in Base32. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

test('stepOf accepts the SHA-1 codes of RFC 6238, appendix B', () => {
  for (const [seconds, code] of [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ] as const)
    assert.equal(stepOf(secret, code, seconds * 1000), Math.floor(seconds / 30), code);
});

test('stepOf accepts a code one step early or late, and no other', () => {
  // The code of step 1, which lasts from 30 s to 60 s.
  const at = (seconds: number) => stepOf(secret, '287082', seconds * 1000);
  for (const seconds of [0, 0.5, 29.9, 30, 59.9, 60, 89.9]) assert.equal(at(seconds), 1);
  for (const seconds of [90, 119, 600]) assert.equal(at(seconds), undefined);
});

test('stepOf refuses other codes', () => {
  for (const code of ['287083', '000000', '999999'])
    assert.equal(stepOf(secret, code, 59_000), undefined);
});

test('createSecret has 160 bits, and its address names issuer, account and parameters', () => {
  assert.match(createSecret(), /^[A-Z2-7]{32}$/);
  assert.notEqual(createSecret(), createSecret());
  const uri = new URL(otpauthUri('id.example.com', 'ada@example.com', secret));
  assert.equal(uri.protocol, 'otpauth:');
  assert.equal(
    decodeURIComponent(uri.pathname).replace(/^\/*/, ''),
    'id.example.com:ada@example.com',
  );
  assert.deepEqual(
    [uri.searchParams.get('secret'), uri.searchParams.get('issuer')],
    [secret, 'id.example.com'],
  );
});

test('stepOf reads wide digits and groups, as people paste them', () => {
  for (const code of ['２８７０８２', '287 082', ' 287082 ', '287-082', '２８７\u3000０８２'])
    assert.equal(stepOf(secret, code, 59_000), 1, code);
});
