import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judge } from './txt.ts';

const name = '_bailiwick-challenge.example.com';
const wanted = 'bailiwick-verify=abc';
const reasonOf = (values: readonly string[]): string => {
  const finding = judge({ values }, name, wanted);
  return 'reason' in finding ? finding.reason : finding.outcome;
};

test('Domain_Verify takes the one value that is wanted, whatever is beside it, and nothing that is only like it', () => {
  assert.deepEqual(judge({ values: ['v=spf1 -all', wanted] }, name, wanted), { outcome: 'proved' });
  for (const value of [
    ` ${wanted}`,
    `${wanted} `,
    wanted.toUpperCase(),
    `"${wanted}"`,
    'abc',
    `${wanted}d`,
    '',
  ]) {
    assert.equal(judge({ values: [value] }, name, wanted).outcome, 'missing', value);
  }
});

test('Domain_Verify says what it found, in plain characters and not at length', () => {
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

test('Domain_Verify holds nothing against a domain that no server has spoken of', () => {
  assert.equal(judge({ missing: 'answer' }, name, wanted).outcome, 'unknown');
  for (const missing of ['name', 'record'] as const)
    assert.equal(judge({ missing }, name, wanted).outcome, 'missing');
});
