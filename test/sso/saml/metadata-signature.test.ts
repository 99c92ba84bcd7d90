import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { ServiceError } from '@bailiwick/errors';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { readFirstMetadata, readLaterMetadata } from '@bailiwick/sso/saml/metadata-signature.ts';
import { metadataText } from './metadata-texts.ts';
import { type Keys, signatureOf } from './texts.ts';

// The signature of metadata: the first document names the key, and later ones need a trusted one.

let [own, next, foreign]: Keys[] = [];
before(async () => {
  [own, next, foreign] = await Promise.all(['a', 'b', 'c'].map(createKeys));
});

async function createKeys(name: string): Promise<Keys> {
  const { privateKey, certificate } = await createSpCertificate(name);
  return { privateKey, certificate: certificate.trim() };
}

const entityId = 'https://idp.example/metadata';
const ssoUrl = 'https://idp.example/sso';
const text = (certificates: Array<Keys | undefined>, signedBy?: Keys) =>
  metadataText({
    entityId,
    ssoUrl,
    certificates: certificates.map((keys) => keys?.certificate ?? ''),
    signedBy,
  });
const refused = (read: () => unknown, message: RegExp) =>
  assert.throws(read, (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.code, error.reason], ['invalid_argument', 'METADATA_INVALID']);
    assert.match(error.message, message);
    return true;
  });

test('the first document names the key that signs it, or none', () => {
  assert.equal(readFirstMetadata(text([own])).signer, '');
  const { signer, idpCertificates } = readFirstMetadata(`\uFEFF${text([own], next)}`);
  assert.deepEqual([signer, idpCertificates], [next?.certificate, [own?.certificate]]);
});

test('a signature whose certificate is not in it is verified with the signing certificates', () => {
  const keys = own as Keys;
  const bare = text([own]);
  const signature = signatureOf(bare, { keys, keyInfo: '<ds:KeyName>a</ds:KeyName>' });
  const signed = bare.replace('<md:IDPSSO', `${signature}<md:IDPSSO`);
  assert.equal(readFirstMetadata(signed).signer, keys.certificate);
});

test('a signature names at most five certificates, since each takes a verification', () => {
  const keys = own as Keys;
  const bare = text([own]);
  const signedWith = (count: number) => {
    const der = keys.certificate.replaceAll(/-----.*?-----|\s/g, '');
    const one = `<ds:X509Certificate>${der}</ds:X509Certificate>`;
    const keyInfo = `<ds:X509Data>${one.repeat(count)}</ds:X509Data>`;
    return bare.replace('<md:IDPSSO', `${signatureOf(bare, { keys, keyInfo })}<md:IDPSSO`);
  };
  assert.equal(readFirstMetadata(signedWith(5)).signer, keys.certificate);
  refused(() => readFirstMetadata(signedWith(6)), /more than 5 certificates/);
});

test('a later document has to be signed by a trusted key, if the first one was signed', () => {
  const trusted = [own?.certificate ?? ''];
  assert.equal(readLaterMetadata(text([own, next], own), trusted).signer, own?.certificate);
  refused(() => readLaterMetadata(text([own, next]), trusted), /is not signed, although/);
  refused(() => readLaterMetadata(text([own], foreign), trusted), /not by a trusted key/);
  // Without a signed first document, none is needed.
  assert.equal(readLaterMetadata(text([own]), []).signer, '');
});

test('only what the signature covers is read', () => {
  const signed = text([own], own);
  const trusted = [own?.certificate ?? ''];
  const evil = text([foreign]).replace('ID="_m1"', 'ID="_m2"');
  refused(
    () => readLaterMetadata(signed.replace(ssoUrl, 'https://evil.example'), trusted),
    /changed/,
  );
  // The signed document inside of another one.
  refused(
    () =>
      readLaterMetadata(
        evil.replace('<md:IDPSSO', `<md:Extensions>${signed}</md:Extensions>$&`),
        trusted,
      ),
    /is not signed/,
  );
  // A signature over another element.
  const signature = /<ds:Signature .*<\/ds:Signature>/.exec(signed)?.[0] ?? '';
  refused(
    () =>
      readLaterMetadata(
        evil.replace('<md:IDPSSO', `${signature}<md:Extensions>${signed}</md:Extensions>$&`),
        trusted,
      ),
    /is not over the metadata/,
  );
  const twin = text([foreign]).replace(
    '<md:IDPSSO',
    `${signature}<md:Extensions>${signed}</md:Extensions>$&`,
  );
  refused(() => readLaterMetadata(twin, trusted), /changed/);
  refused(
    () =>
      readFirstMetadata(text([own], own).replace('xmldsig-more#rsa-sha256', 'xmldsig#rsa-sha1')),
    /cannot be used: .*SHA-256/,
  );
});
