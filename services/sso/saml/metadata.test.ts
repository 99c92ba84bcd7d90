import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ServiceError } from '@bailiwick/errors';
import { createSpCertificate } from './certificates.ts';
import { readIdpMetadata } from './metadata.ts';
import type { SamlProvider } from './provider.ts';
import { spMetadata } from './sp-metadata.ts';

const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-';
let keys: { privateKey: string; certificate: string };
let bare = '';

before(async () => {
  keys = await createSpCertificate('x');
  bare = keys.certificate.replace(/-----[A-Z ]+-----|\s/g, '');
});

const key = (text: string, use = ' use="signing"') =>
  `<KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${text}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></KeyDescriptor>`;
const service = (kind: string, location: string) =>
  `<SingleSignOnService Binding="${binding}${kind}" Location="${location}"/>`;
const names =
  'xmlns="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#"';
const role = (inner: string, kind = 'IDP') =>
  `<${kind}SSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${inner}</${kind}SSODescriptor>`;
const entity = (inner: string, id = 'https://idp.example/metadata') =>
  `<EntityDescriptor ${names} entityID="${id}">${inner}</EntityDescriptor>`;
const usual = () =>
  entity(
    role(
      key(bare) +
        service('POST', 'https://idp.example/post') +
        service('Redirect', 'https://idp.example/redirect?a=1&amp;b=2'),
    ),
  );
const expected = () => ({
  idpEntityId: 'https://idp.example/metadata',
  idpSsoUrl: 'https://idp.example/redirect?a=1&b=2',
  requestBinding: 'redirect',
  idpCertificates: [keys.certificate.trim()],
});

describe('readIdpMetadata', () => {
  test('reads entity id, sign-on address and signing certificates', async () => {
    assert.deepEqual(readIdpMetadata(usual()), expected());
    const other = await createSpCertificate('y');
    const many =
      key(bare.replace(/.{64}/g, '$&\n      ')) +
      key(bare) +
      key(other.certificate, '') +
      key('junk') +
      key(bare, ' use="encryption"');
    assert.deepEqual(
      readIdpMetadata(entity(role(many + service('POST', 'https://idp.example/post')))),
      {
        ...expected(),
        idpSsoUrl: 'https://idp.example/post',
        requestBinding: 'post',
        idpCertificates: [keys.certificate.trim(), other.certificate.trim()],
        leftOut: [
          "this contains no certificate: give the identity provider's signing certificate as PEM or base64",
        ],
      },
    );
  });

  test('accepts at most five certificates', async () => {
    const all = await Promise.all(
      Array.from({ length: 6 }, (_, index) => createSpCertificate(`idp ${index}`)),
    );
    const metadataWith = (count: number) =>
      entity(
        role(
          all
            .slice(0, count)
            .map(({ certificate }) => key(certificate))
            .join('') + service('POST', 'https://idp.example'),
        ),
      );
    assert.equal(readIdpMetadata(metadataWith(5)).idpCertificates.length, 5);
    assert.throws(() => readIdpMetadata(metadataWith(6)), /more than 5 certificates for signing/);
  });

  test('accepts comments, a declaration, other roles and a list of one entity', () => {
    const xml = usual();
    assert.deepEqual(
      readIdpMetadata(
        `\uFEFF<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- ours -->\n${xml.replace('<IDP', '<!-- x --><IDP')}\n`,
      ),
      expected(),
    );
    assert.deepEqual(
      readIdpMetadata(`<EntitiesDescriptor ${names}>${xml}</EntitiesDescriptor>`),
      expected(),
    );
    assert.deepEqual(readIdpMetadata(xml.replace('<IDP', `${role('', 'SP')}<IDP`)), expected());
  });

  test('accepts a declaration in ASCII, and a time in the future', () => {
    const xml = usual().replace('entityID', 'validUntil="2020-01-31T10:00:00Z" entityID');
    const now = new Date('2020-01-31T09:59:59Z');
    assert.deepEqual(readIdpMetadata(xml, now), expected());
    const ascii = `<?xml version="1.0" encoding="US-ASCII"?>${usual()}`;
    assert.deepEqual(readIdpMetadata(ascii), expected());
  });

  test('takes the one identity provider among services', () => {
    const services = `${entity(role('', 'SP'), 'https://one.example')}${entity(role('', 'SP'), 'https://two.example')}`;
    const nested = `<EntitiesDescriptor ${names}>${services}<EntitiesDescriptor>${usual()}</EntitiesDescriptor></EntitiesDescriptor>`;
    assert.deepEqual(readIdpMetadata(nested), readIdpMetadata(usual()));
  });

  test('rejects unusable metadata with a clear message', () => {
    const sso = service('Redirect', 'https://idp.example/sso');
    const cases: Array<[string, RegExp]> = [
      ['', /not well-formed/],
      ['hello', /not well-formed/],
      ['<html></html>', /is an HTML page/],
      ['\n<!DOCTYPE html>\n<html><p>Sign in</html>', /is an HTML page/],
      [
        `<?xml version="1.0" encoding="ISO-8859-1"?>${usual()}`,
        /declares the encoding ISO-8859-1, and only UTF-8/,
      ],
      [`<?xml version='1.0' encoding='UTF-16'?>${usual()}`, /declares the encoding UTF-16/],
      [`<?xml version="1.1" encoding="UTF-8"?>${usual()}`, /is XML 1\.1/],
      ...['2020-01-31T10:00:00Z', '2020-01-31T10:00:00.5+02:00', '2020-01-31T10:00:00'].flatMap(
        (until): Array<[string, RegExp]> =>
          ['<EntityDescriptor', '<IDPSSODescriptor'].map((start) => [
            usual().replace(start, `${start} validUntil="${until}"`),
            /was valid until 2020-01-31T/,
          ]),
      ),
      [
        `<EntitiesDescriptor ${names} validUntil="2020-01-31T10:00:00Z">${usual()}</EntitiesDescriptor>`,
        /was valid until/,
      ],
      [usual().replace('entityID', 'validUntil="soon" entityID'), /validUntil that is not a time/],
      [
        `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>${usual()}`,
        /document type declaration/,
      ],
      [`<?php x ?>${usual()}`, /processing instructions/],
      [`${usual()}${' '.repeat(300_000)}`, /larger than 256 KiB/],
      [
        `<EntitiesDescriptor ${names}>${usual()}${usual()}</EntitiesDescriptor>`,
        /describes 2 identity providers/,
      ],
      [
        `<EntitiesDescriptor ${names}>${entity(role('', 'SP'))}${entity(role('', 'SP'))}</EntitiesDescriptor>`,
        /that of a service/,
      ],
      [`<EntitiesDescriptor ${names}></EntitiesDescriptor>`, /describes no entity/],
      [entity(role(key(bare) + sso), ''), /no entity id/],
      [entity(role('', 'SP')), /that of a service/],
      [
        entity(role(key(bare) + sso).replace('SAML:2.0:protocol', 'SAML:1.1:protocol')),
        /not that of a SAML 2.0 identity provider/,
      ],
      [entity(role(key(bare) + sso) + role(key(bare) + sso)), /more than once/],
      [
        entity(role(key(bare) + service('Artifact', 'https://idp.example/sso'))),
        /no sign-on address/,
      ],
      [entity(role(key(bare) + service('Redirect', 'javascript:alert(1)'))), /not a URL/],
      [
        entity(role(key(bare) + service('Redirect', `https://idp.example/${'a'.repeat(2048)}`))),
        /more than 2048 characters/,
      ],
      [entity(role(sso)), /no certificate for signing/],
      [entity(role(key('junk') + sso)), /no certificate/],
      [usual().replace('<IDP', '<other:IDP'), /not well-formed|prefix/],
    ];
    for (const [xml, says] of cases)
      assert.throws(
        () => readIdpMetadata(xml),
        (error) =>
          error instanceof ServiceError &&
          error.code === 'invalid_argument' &&
          says.test(error.message),
        xml.slice(0, 300),
      );
  });
});

test('spMetadata offers our encryption key only if it is wanted, and only AES-GCM, and is deterministic', () => {
  const provider: SamlProvider = {
    idpEntityId: '',
    idpSsoUrl: '',
    idpCertificates: [],
    spEntityId: 'https://us.example/metadata?a=1&b=<2>',
    acsUrl: 'https://us.example/callback',
    requestBinding: 'redirect',
    spPrivateKey: keys.privateKey,
    spCertificate: keys.certificate,
    wantEncrypted: true,
  };
  const xml = spMetadata(provider);
  assert.match(xml, /entityID="https:\/\/us\.example\/metadata\?a=1&amp;b=&lt;2(>|&gt;)"/);
  assert.match(xml, /AuthnRequestsSigned="true"/);
  assert.match(xml, /WantAssertionsSigned="true"/);
  assert.match(
    xml,
    new RegExp(
      `<AssertionConsumerService [^>]*Binding="${binding}POST" Location="https://us\\.example/callback"`,
    ),
  );
  assert.deepEqual(
    [...xml.matchAll(/use="(\w+)"/g)].map(([, use]) => use),
    ['signing', 'encryption'],
  );
  assert.deepEqual(
    [...xml.matchAll(/EncryptionMethod Algorithm="[^"]*#([^"]*)"/g)].map(([, name]) => name),
    ['aes256-gcm', 'aes128-gcm'],
  );
  assert.equal(xml.replace(/\s/g, '').split(bare).length, 3);
  assert.doesNotMatch(xml, /PRIVATE/);
  assert.equal(spMetadata(provider), xml);
  const plain = spMetadata({ ...provider, wantEncrypted: false });
  assert.deepEqual(
    [...plain.matchAll(/use="(\w+)"/g)].map(([, use]) => use),
    ['signing'],
  );
  assert.doesNotMatch(plain, /EncryptionMethod/);
  assert.throws(() => readIdpMetadata(xml), /that of a service/);
});
