import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRecord } from './txt.ts';

const name = '_bailiwick-challenge.example.com';
const expected = 'bailiwick-verify=abc';
const reasonOf = (values: readonly string[]): string => {
  const result = checkRecord({ values }, name, expected);
  return 'reason' in result ? result.reason : result.outcome;
};

test('the proof requires the exact value, and ignores other records', () => {
  assert.deepEqual(checkRecord({ values: ['v=spf1 -all', expected] }, name, expected), {
    outcome: 'proved',
  });
  for (const text of [
    ` ${expected}`,
    `${expected} `,
    expected.toUpperCase(),
    `"${expected}"`,
    'abc',
    `${expected}d`,
    '',
  ]) {
    assert.equal(checkRecord({ values: [text] }, name, expected).outcome, 'missing', text);
  }
});

test('a failed proof reports the value of the record, shortened and in printable ASCII', () => {
  assert.equal(
    reasonOf(['bailiwick-verify=old']),
    `${name} has a TXT record, but its value is not the right one: found "bailiwick-verify=old"`,
  );
  assert.equal(
    reasonOf(['a', 'b']),
    `${name} has 2 TXT records, but none has the right value: found "a"`,
  );
  const hostile = `\u202e\n<script>${'x'.repeat(5000)}`;
  const reason = reasonOf([hostile, hostile]);
  assert.ok(reason.length < 160 && /^[\x20-\x7e…]+$/.test(reason), reason);
});

test('the outcome is unknown without an answer of a DNS server', () => {
  assert.equal(checkRecord({ missing: 'answer' }, name, expected).outcome, 'unknown');
  for (const missing of ['name', 'record'] as const)
    assert.equal(checkRecord({ missing }, name, expected).outcome, 'missing');
});
