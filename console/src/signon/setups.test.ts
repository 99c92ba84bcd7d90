import assert from 'node:assert/strict';
import { test } from 'node:test';
import { protocolsOf, readSetup, serviceNames, serviceOf, setupOf } from './setups.ts';

test('a provider is known by the host of its address, and not by a part of another host', () => {
  const serviceAt = (Issuer: string, IdpSsoURL = '') => serviceOf({ Issuer, IdpSsoURL });
  assert.equal(serviceAt('https://acme.okta.com'), 'okta');
  assert.equal(serviceAt('https://login.microsoftonline.com/1/v2.0'), 'entra');
  assert.equal(serviceAt('', 'https://accounts.google.com/o/saml2/idp?idpid=1'), 'google');
  assert.equal(serviceAt('https://okta.com.example.com'), 'other');
  assert.equal(serviceAt('https://notokta.com'), 'other');
  assert.equal(serviceAt('junk'), 'other');
});

test('each service has instructions for a protocol, with the fields that its addresses go into', () => {
  for (const service of serviceNames) {
    const protocols = protocolsOf(service);
    assert.ok(protocols.length > 0, service);
    for (const protocol of protocols) {
      const { redirect, acs, entity, copies } = setupOf(service, protocol);
      assert.ok(copies, service);
      assert.ok(protocol === 'oidc' ? redirect : acs && entity, `${service} ${protocol}`);
    }
  }
});

test('an address of the set-up with an unknown choice has no choice', () => {
  assert.deepEqual(readSetup({ service: 'okta', protocol: 'saml' }), {
    service: 'okta',
    protocol: 'saml',
  });
  const id = 'sso_01m8k4qyxveqb8fj3jk8sg75t1';
  assert.deepEqual(readSetup({ id }), { id });
  assert.deepEqual(readSetup({ id: `${id}/../x` }), {});
  assert.deepEqual(readSetup({ service: 'evil', protocol: 'oauth' }), {});
});
