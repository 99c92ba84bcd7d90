import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leadsToSignIn, readReturnAddress, stillAllowed, withCode } from './return-address.ts';

const rules = {
  publicUrl: 'https://example.com/iam',
  appUrl: '',
  allowedOrigins: ['https://app.example.com', 'http://127.0.0.1:3000'],
};

test('readReturnAddress accepts a path below the public URL, and defaults to the sign-in page', () => {
  assert.deepEqual(readReturnAddress('', rules), {
    returnTo: 'https://example.com/iam/login',
    origin: '',
  });
  assert.deepEqual(readReturnAddress('/app?a=b#c', rules), {
    returnTo: 'https://example.com/iam/app?a=b#c',
    origin: '',
  });
  assert.deepEqual(readReturnAddress('https://example.com/app', rules), {
    returnTo: 'https://example.com/app',
    origin: '',
  });
});

test('readReturnAddress refuses the addresses that begin another sign-in', () => {
  for (const address of [
    '/auth/tnt_1/sso_1/login',
    'https://example.com/iam/auth/tnt_1/sso_1/login',
    'https://example.com/x/../iam/auth/tnt_1/sso_1/login?return_to=/app',
  ])
    assert.equal(readReturnAddress(address, rules), undefined, address);
});

test('the application of a tenant is no address that leads to a sign-in here', () => {
  for (const address of [
    'https://example.com/iam/login',
    'https://example.com/iam/login?signed_in=1',
    'https://EXAMPLE.com:443/iam/x/..//../login#there',
    'https://example.com/iam/%2e/login',
    'https://example.com/iam/auth/tnt_1/sso_1/login',
    'https://example.com/iam/oauth/authorize?client_id=a',
  ]) {
    assert.ok(leadsToSignIn(address, rules), address);
    assert.equal(stillAllowed(address, rules), '', address);
  }
  for (const address of [
    'https://example.com/login',
    'https://example.com/iam',
    'https://example.com/iam/login-help',
    'https://example.com/iam/app/login',
    'https://app.example.com/iam/login',
  ]) {
    assert.ok(!leadsToSignIn(address, rules), address);
    assert.equal(stillAllowed(address, rules), address);
  }
  // A user who comes from an app returns to it by way of these.
  assert.ok(readReturnAddress('/login?link=1', rules));
  assert.ok(readReturnAddress('/oauth/interaction/one', rules));
});

test('readReturnAddress for an allowed origin leads to a code', () => {
  const target = readReturnAddress('https://app.example.com/back?next=1', rules);
  assert.ok(target);
  assert.deepEqual(target, {
    returnTo: 'https://app.example.com/back?next=1',
    origin: 'https://app.example.com',
  });
  assert.equal(
    withCode(target.returnTo, 'bwkc_x'),
    'https://app.example.com/back?next=1&code=bwkc_x',
  );
  assert.equal(readReturnAddress('http://127.0.0.1:3000', rules)?.origin, 'http://127.0.0.1:3000');
});

test('readReturnAddress defaults to the application, whose origin needs no other setting', () => {
  const withApp = { ...rules, appUrl: 'https://portal.example.org/start' };
  assert.deepEqual(readReturnAddress('', withApp), {
    returnTo: 'https://portal.example.org/start',
    origin: 'https://portal.example.org',
  });
  const deeper = 'https://portal.example.org/reports?year=2026';
  assert.equal(readReturnAddress(deeper, withApp)?.returnTo, deeper);
  assert.equal(readReturnAddress(deeper, rules), undefined);
  assert.deepEqual(readReturnAddress('', { ...rules, appUrl: 'https://example.com/app' }), {
    returnTo: 'https://example.com/app',
    origin: '',
  });
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
  'blob:https://app.example.com/1f0e',
  'blob:https://example.com/1f0e',
  'data:text/html,x',
  'app',
  'null',
  `/${'a'.repeat(3000)}`,
];

for (const text of refused)
  test(`${JSON.stringify(text.slice(0, 40))} is rejected as a return address`, () => {
    assert.equal(readReturnAddress(text, rules), undefined);
  });
