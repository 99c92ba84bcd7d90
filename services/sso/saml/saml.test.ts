import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { verify } from 'node:crypto';
import { createRequire } from 'node:module';
import { before, describe, test } from 'node:test';
import { inflateRawSync } from 'node:zlib';
import { createSpCertificate } from './certificates.ts';
import type { SamlProvider } from './provider.ts';
import { createSaml } from './saml.ts';

const saml = createSaml();
let provider: SamlProvider;

before(async () => {
  const { privateKey, certificate } = await createSpCertificate('x');
  provider = {
    idpEntityId: 'https://idp.example/metadata',
    idpSsoUrl: 'https://idp.example/sso?realm=a&RelayState=old',
    idpCertificates: [certificate],
    spEntityId: 'https://us.example/metadata?a=1&b="<2>',
    acsUrl: 'https://us.example/callback',
    requestBinding: 'redirect',
    spPrivateKey: privateKey,
    spCertificate: certificate,
    wantEncrypted: false,
  };
});

function assertRequest(xml: string): void {
  assert.match(xml, /^<(\?xml version="1.0"\?><)?samlp:AuthnRequest /);
  assert.match(xml, / ID="_request-1"/);
  assert.match(xml, / Destination="https:\/\/idp\.example\/sso\?realm=a&amp;RelayState=old"/);
  assert.match(xml, / AssertionConsumerServiceURL="https:\/\/us\.example\/callback"/);
  assert.match(xml, />https:\/\/us\.example\/metadata\?a=1&amp;b="&lt;2(>|&gt;)<\/saml:Issuer>/);
  // Requests ask for no NameID format and no authentication context.
  assert.doesNotMatch(xml, /Format=|RequestedAuthnContext/);
}

describe('begin', () => {
  test('signs the query of a redirect', async () => {
    const request = await saml.begin(provider, {
      requestId: '_request-1',
      relayState: 'state_1.a-B',
    });
    assert.ok('redirect' in request);
    const { origin, pathname, searchParams, search } = new URL(request.redirect);
    assert.equal(origin + pathname, 'https://idp.example/sso');
    assert.equal(searchParams.get('realm'), 'a');
    assert.deepEqual(searchParams.getAll('RelayState'), ['state_1.a-B']);
    assertRequest(
      inflateRawSync(Buffer.from(searchParams.get('SAMLRequest') ?? '', 'base64')).toString(),
    );
    // The signature covers the encoded parameters, in the order of the SAML specification.
    const encoded = (name: string) => new RegExp(`[?&](${name}=[^&]*)`).exec(search)?.[1];
    const signed = ['SAMLRequest', 'RelayState', 'SigAlg'].map(encoded).join('&');
    assert.equal(searchParams.get('SigAlg'), 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    assert.ok(
      verify(
        'sha256',
        Buffer.from(signed),
        provider.spCertificate,
        Buffer.from(searchParams.get('Signature') ?? '', 'base64'),
      ),
    );
  });

  test('signs the request of a form, and does not compress it', async () => {
    const request = await saml.begin(
      { ...provider, requestBinding: 'post' },
      { requestId: '_request-1', relayState: 'state' },
    );
    assert.ok('form' in request);
    assert.equal(request.url, provider.idpSsoUrl);
    assert.deepEqual(Object.keys(request.form), ['SAMLRequest', 'RelayState']);
    const xml = Buffer.from(request.form.SAMLRequest ?? '', 'base64').toString();
    assertRequest(xml);
    assert.match(xml, /<\/saml:Issuer><Signature .*rsa-sha256.*URI="#_request-1".*xmlenc#sha256/);
  });

  test('rejects a relay state or request id with an ambiguous encoding', async () => {
    for (const relayState of ['', 'a b', "a'b", 'a&b=c', 'é', 'a'.repeat(81)])
      await assert.rejects(saml.begin(provider, { requestId: '_r', relayState }), /relay state/);
    for (const requestId of ['', '1', 'a b', 'a"b', 'a'.repeat(129)])
      await assert.rejects(saml.begin(provider, { requestId, relayState: 's' }), /request id/);
  });
});

test('node-saml, xml-crypto and xml-encryption use the same XML parser as this service', () => {
  const here = createRequire(import.meta.url);
  const library = createRequire(here.resolve('@node-saml/node-saml'));
  const parser = here.resolve('@xmldom/xmldom');
  const users = [
    library,
    createRequire(library.resolve('xml-crypto')),
    createRequire(library.resolve('xml-encryption')),
    createRequire(here.resolve('xml-encryption')),
  ];
  for (const user of users) assert.equal(user.resolve('@xmldom/xmldom'), parser);
  assert.equal(library.resolve('xml-encryption'), here.resolve('xml-encryption'));
});
