import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAssurance } from './assurance.ts';

test('the best known value of a provider counts', () => {
  for (const [contexts, expected] of [
    [[], 'aal1'],
    [['pwd'], 'aal1'],
    [['pwd', 'mfa'], 'aal2'],
    [[undefined, 'phr'], 'phishing_resistant'],
    [['phrh', 'mfa'], 'phishing_resistant'],
    [['mfa', 'pwd', 'fido'], 'phishing_resistant'],
    [['https://refeds.org/profile/mfa'], 'aal2'],
    [['urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'], 'aal1'],
  ] as const)
    assert.equal(readAssurance({ contexts }), expected, contexts.join(' '));
});

test('an unknown value, or one of another type, proves nothing', () => {
  const contexts = [{ mfa: true }, [['mfa']], 'mfa,x', 1, true, null, '__proto__'];
  assert.equal(readAssurance({ contexts }), 'aal1');
});

test('the provider’s own table replaces the usual one', () => {
  const own = { gold: 'phishing_resistant', silver: 'aal2', mfa: 'aal1' };
  for (const [contexts, expected] of [
    [['silver'], 'aal2'],
    [['silver', 'gold'], 'phishing_resistant'],
    [['mfa', 'phr', 'pwd'], 'aal1'],
    [['constructor', '__proto__', ['gold']], 'aal1'],
  ] as const)
    assert.equal(readAssurance({ contexts }, own), expected, contexts.join(' '));
  assert.equal(readAssurance({ contexts: ['mfa'] }, {}), 'aal2');
});
