import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SignInRefused } from '../refusal.ts';
import { readReturn, withCode } from './return.ts';

const rules = {
  publicUrl: 'https://example.com/iam',
  allowedOrigins: ['https://app.example.com', 'http://127.0.0.1:3000'],
};

test('readReturn accepts a path below the public URL, and defaults to the sign-in page', () => {
  assert.deepEqual(readReturn('', rules), {
    returnTo: 'https://example.com/iam/login',
    origin: '',
  });
  assert.deepEqual(readReturn('/app?a=b#c', rules), {
    returnTo: 'https://example.com/iam/app?a=b#c',
    origin: '',
  });
  assert.deepEqual(readReturn('https://example.com/app', rules), {
    returnTo: 'https://example.com/app',
    origin: '',
  });
});

test('readReturn for an allowed origin leads to a code', () => {
  const target = readReturn('https://app.example.com/back?next=1', rules);
  assert.deepEqual(target, {
    returnTo: 'https://app.example.com/back?next=1',
    origin: 'https://app.example.com',
  });
  assert.equal(
    withCode(target.returnTo, 'bwkc_x'),
    'https://app.example.com/back?next=1&code=bwkc_x',
  );
  assert.equal(readReturn('http://127.0.0.1:3000', rules).origin, 'http://127.0.0.1:3000');
});

test('withCode replaces an existing code', () => {
  assert.equal(
    withCode('https://app.example.com/?code=theirs&code=again', 'ours'),
    'https://app.example.com/?code=ours',
  );
});

const refused = [
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  ' https://app.example.com',
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://app.example.com@evil.example',
  'https://user:password@app.example.com',
  'https://app.example.com:8443',
  'http://app.example.com',
  'https:\\\\app.example.com',
  'javascript:alert(1)',
  'data:text/html,x',
  'app',
  'null',
  `/${'a'.repeat(3000)}`,
];

for (const text of refused)
  test(`${JSON.stringify(text.slice(0, 40))} is rejected as a return address`, () => {
    assert.throws(
      () => readReturn(text, rules),
      (error) => error instanceof SignInRefused && error.reason === 'RETURN_FOREIGN',
    );
  });
