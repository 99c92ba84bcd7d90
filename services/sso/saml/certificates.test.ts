// @peculiar/x509 needs reflect-metadata for its dependency injection.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { ServiceError } from '@bailiwick/errors';
import { X509CertificateGenerator } from '@peculiar/x509';
import { checkSaml, createSpCertificate, normaliseCertificate } from './certificates.ts';
import type { SamlProvider } from './provider.ts';

const day = 24 * 60 * 60 * 1000;
const publicExponent = new Uint8Array([1, 0, 1]);
const rsa = (modulusLength: number, hash = 'SHA-256', exponent = publicExponent) => ({
  name: 'RSASSA-PKCS1-v1_5',
  hash,
  modulusLength,
  publicExponent: exponent,
});
const ec = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** A certificate with a validity period in days from now. */
async function makeCertificate(
  algorithm: ReturnType<typeof rsa> | typeof ec,
  from = -1,
  to = 365,
): Promise<string> {
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const [notBefore, notAfter] = [from, to].map((days) => new Date(Date.now() + days * day)) as [
    Date,
    Date,
  ];
  return (
    await X509CertificateGenerator.createSelfSigned({
      name: 'CN=idp',
      keys,
      notBefore,
      notAfter,
      signingAlgorithm: algorithm,
    })
  ).toString('pem');
}

test('normaliseCertificate refuses an RSA key with a small exponent', async () => {
  const small = await makeCertificate(rsa(2048, 'SHA-256', new Uint8Array([3])));
  assert.throws(() => normaliseCertificate(small), /exponent of 65537 or more/);
});

test('createSpCertificate creates a key and a certificate valid for ten years', async () => {
  const { privateKey, certificate } = await createSpCertificate(
    `Bailiwick, "quoted" CN=x+O=y ${'é'.repeat(100)}`,
  );
  const parsed = new X509Certificate(certificate);
  assert.ok(parsed.checkPrivateKey(createPrivateKey(privateKey)));
  assert.equal(parsed.publicKey.asymmetricKeyDetails?.modulusLength, 3072);
  assert.match(parsed.subject, /^CN=Bailiwick quoted CN x O y é+$/);
  const years = (new Date(parsed.validTo).getTime() - Date.now()) / (365 * day);
  assert.ok(years > 9.9 && years < 10.1, `${years} years`);
  assert.ok(new Date(parsed.validFrom).getTime() < Date.now());
  assert.ok(parsed.verify(parsed.publicKey));
  assert.notEqual((await createSpCertificate('x')).privateKey, privateKey);
});

describe('normaliseCertificate', () => {
  test('converts every pasted form to one PEM', async () => {
    const pem = new X509Certificate(await makeCertificate(rsa(2048))).toString();
    const bare = pem.replace(/-----[A-Z ]+-----|\n/g, '');
    for (const text of [
      pem,
      bare,
      `  ${bare.replace(/.{20}/g, '$&\r\n\t')}`,
      pem.replaceAll('\n', '\r\n'),
      pem.replaceAll('\n', ''),
      `\n\n${pem}\n`,
      `Bag attributes\n  friendlyName: x\n${pem}`,
    ])
      assert.equal(normaliseCertificate(text), pem.trim());
  });

  test('accepts a certificate signed with SHA-1, because its own signature is not used', async () => {
    assert.match(
      normaliseCertificate(await makeCertificate(rsa(2048, 'SHA-1'))),
      /^-----BEGIN CERTIFICATE-----\n/,
    );
  });

  test('rejects unusable certificates with a clear message', async () => {
    const { privateKey } = await createSpCertificate('x');
    const pem = await makeCertificate(rsa(2048));
    const cases: Array<[string, RegExp]> = [
      ['', /no certificate/],
      ['hello', /no certificate/],
      ['AAAA', /no certificate/],
      [pem.slice(0, 200), /no certificate/],
      [pem.replace(/\n.*\n-----END/, '\n-----END'), /no certificate/],
      [`${pem}\n${pem}`, /its own list item/],
      [privateKey, /private key/],
      ['A'.repeat(20_000), /too long/],
      [await makeCertificate(rsa(1024)), /1024 bits: 2048/],
      [await makeCertificate(ec), /RSA/],
    ];
    for (const [text, says] of cases) {
      const thrown = (() => {
        try {
          return normaliseCertificate(text);
        } catch (error) {
          return error;
        }
      })();
      assert.ok(thrown instanceof ServiceError, text.slice(0, 80));
      assert.equal(thrown.code, 'invalid_argument');
      assert.match(thrown.message, says);
    }
  });
});

describe('checkSaml', () => {
  const certificates = Promise.all([2048, 3072].map((size) => makeCertificate(rsa(size))));
  const provider = async (changes: Partial<SamlProvider> = {}): Promise<SamlProvider> => ({
    idpEntityId: 'https://idp.example/metadata',
    idpSsoUrl: 'https://idp.example/sso',
    idpCertificates: (await certificates).slice(0, 1),
    spEntityId: 'https://us.example/metadata',
    acsUrl: 'https://us.example/callback',
    requestBinding: 'redirect',
    spPrivateKey: '',
    spCertificate: (await certificates).at(-1) ?? '',
    wantEncrypted: false,
    ...changes,
  });
  const problems = async (changes: Partial<SamlProvider>) =>
    checkSaml(await provider(changes), new Date())
      .filter(({ level }) => level !== 'ok')
      .map(({ check, level, message }) => `${level}: ${check}: ${message}`);

  test('says what to register at the provider', async () => {
    const findings = checkSaml(await provider(), new Date());
    assert.deepEqual(
      findings.filter(({ level }) => level !== 'ok'),
      [],
    );
    for (const address of [
      'https://us.example/metadata',
      'https://us.example/callback',
      'https://idp.example',
    ])
      assert.ok(
        findings.some(({ message }) => message.includes(address)),
        address,
      );
  });

  test('reports wrong URLs and entity ids', async () => {
    assert.match(
      (await problems({ idpSsoUrl: 'http://idp.example/sso' })).join(),
      /^error: sign-on address: .*https/,
    );
    assert.match((await problems({ idpSsoUrl: '' })).join(), /^error: sign-on address: .*missing/);
    assert.match((await problems({ idpEntityId: '' })).join(), /^error: entity ids: .*missing/);
    assert.match(
      (await problems({ idpEntityId: 'https://us.example/metadata' })).join(),
      /^error: entity ids: .*our own/,
    );
  });

  test('reports wrong certificates', async () => {
    const good = await makeCertificate(rsa(2048));
    const expired = await makeCertificate(rsa(2048), -10, -1);
    assert.match((await problems({ idpCertificates: [] })).join(), /^error: .*there is none/);
    assert.match(
      (await problems({ idpCertificates: [expired] })).join(),
      /^error: identity provider certificate 1: it was valid until/,
    );
    assert.match(
      (await problems({ idpCertificates: [expired, good] })).join(),
      /^warning: identity provider certificate 1: it was valid until/,
    );
    assert.match(
      (await problems({ idpCertificates: [await makeCertificate(rsa(2048), -10, 29)] })).join(),
      /^warning: .*valid only until/,
    );
    assert.match(
      (await problems({ idpCertificates: [await makeCertificate(rsa(2048), 5, 90)] })).join(),
      /^warning: .*not valid before/,
    );
    assert.match(
      (await problems({ idpCertificates: [await makeCertificate(rsa(1024))] })).join(),
      /^error: .*1024 bits/,
    );
    assert.match(
      (await problems({ idpCertificates: [await makeCertificate(ec)] })).join(),
      /^error: .*RSA/,
    );
    assert.match(
      (await problems({ idpCertificates: ['junk'] })).join(),
      /^error: .*cannot be read/,
    );
    assert.match((await problems({ spCertificate: expired })).join(), /^error: our certificate/);
  });
});
