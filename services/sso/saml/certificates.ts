import { Buffer } from 'node:buffer';
import { type KeyObject, X509Certificate } from 'node:crypto';
import { keyProblem } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import { deferred } from '@bailiwick/process';
import type { Finding } from '../results.ts';
import type { SamlProvider } from './provider.ts';

const day = 24 * 60 * 60 * 1000;
const maxCharacters = 16 * 1024;
const minBits = 2048;
const keyOptions = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 3072,
  publicExponent: new Uint8Array([1, 0, 1]),
};

const loadX509 = deferred(async () => {
  // @peculiar/x509 needs it for its dependency injection.
  await import('reflect-metadata');
  return import('@peculiar/x509');
});

/**
 * Creates the service provider's key and a self-signed certificate. It is valid for ten years,
 * because identity providers import the certificate by hand.
 */
export async function createSpCertificate(
  name: string,
): Promise<{ privateKey: string; certificate: string }> {
  const { PemConverter, X509CertificateGenerator } = await loadX509();
  const keys = await crypto.subtle.generateKey(keyOptions, true, ['sign', 'verify']);
  // Distinguished names have special characters, and X.520 limits a common name to 64 characters.
  const commonName =
    name
      .match(/[\p{L}\p{N}.:_-]+/gu)
      ?.join(' ')
      .slice(0, 64) ?? 'Bailiwick';
  // Starts a day ago, because clocks differ.
  const notBefore = new Date(Date.now() - day);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: [{ CN: [commonName] }],
    notBefore,
    notAfter: new Date(notBefore.getTime() + 3650 * day),
    signingAlgorithm: keyOptions,
    keys,
  });
  const privateKey = PemConverter.encode(
    await crypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  );
  return { privateKey: `${privateKey}\n`, certificate: `${certificate.toString('pem')}\n` };
}

/**
 * Converts a pasted identity provider certificate to PEM, from PEM or from the base64 of metadata.
 */
export function normaliseCertificate(text: string): string {
  if (text.length > maxCharacters) throw invalid('the certificate is too long');
  if (/PRIVATE KEY-----/.test(text))
    throw invalid(
      "this is a private key, which must stay secret: give the identity provider's certificate",
    );
  const [, bare, ...more] = text
    .split(/-----(?:BEGIN|END) CERTIFICATE-----/)
    .map((part) => part.trim());
  if (more.filter((part) => part !== '').length > 0)
    throw invalid('each certificate must be its own list item');
  const encoded = (bare ?? text).replace(/\s+/g, '');
  const certificate = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded)
    ? findCertificate(Buffer.from(encoded, 'base64'))
    : undefined;
  if (!certificate)
    throw invalid(
      "this contains no certificate: give the identity provider's signing certificate as PEM or base64",
    );
  assertUsable(certificate);
  // The database's arrays keep no line break at the end, and the stored one is compared with this.
  return certificate.toString().trimEnd();
}

function findCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

export type CertificateFacts = { fingerprint: string; expiresAt: Date };

/** The facts about a stored certificate; undefined if it cannot be read. */
export function factsOf(pem: string): CertificateFacts | undefined {
  const certificate = findCertificate(Buffer.from(pem));
  if (!certificate) return undefined;
  const { fingerprint256: fingerprint, validTo } = certificate;
  return { fingerprint, expiresAt: new Date(validTo) };
}

/**
 * The certificate's own signature algorithm does not matter: an administrator has configured it as
 * trusted.
 */
function assertUsable({ publicKey }: X509Certificate): void {
  if (publicKey.asymmetricKeyType !== 'rsa')
    throw invalid(
      'the certificate must have an RSA key: configure the identity provider to sign with RSA',
    );
  if (bitsOf(publicKey) < minBits)
    throw invalid(
      `the certificate's key has ${bitsOf(publicKey)} bits: ${minBits} or more are required`,
    );
  const problem = keyProblem(publicKey);
  if (problem !== undefined) throw invalid(`the certificate's key cannot be used: ${problem}`);
}

const bitsOf = ({ asymmetricKeyDetails }: KeyObject): number =>
  asymmetricKeyDetails?.modulusLength ?? 0;

/** Findings about a SAML provider that need no request. */
export function checkSaml(provider: SamlProvider, now: Date): Finding[] {
  const theirs = provider.idpCertificates.map((certificate, index) =>
    checkCertificate(`identity provider certificate ${index + 1}`, certificate, now),
  );
  const usable = theirs.some(({ level }) => level !== 'error');
  return [
    checkEntityIds(provider),
    checkSsoUrl(provider),
    ...theirs.map(
      (finding): Finding =>
        usable && finding.level === 'error' ? { ...finding, level: 'warning' } : finding,
    ),
    ...(theirs.length === 0
      ? [
          fault(
            'identity provider certificates',
            'there is none: give the certificate that the identity provider signs with',
          ),
        ]
      : []),
    checkCertificate('our certificate', provider.spCertificate, now),
    fine(
      'reply address',
      `register "${provider.acsUrl}" as the assertion consumer service (reply URL) at the identity provider`,
    ),
    fine(
      'our entity id',
      `register "${provider.spEntityId}" as the entity id (audience) at the identity provider, or give it our metadata`,
    ),
  ];
}

const fine = (check: string, message: string): Finding => ({ check, level: 'ok', message });
const fault = (check: string, message: string): Finding => ({ check, level: 'error', message });

function checkEntityIds({ idpEntityId, spEntityId }: SamlProvider): Finding {
  const check = 'entity ids';
  if (idpEntityId === '') return fault(check, "the identity provider's entity id is missing");
  if (idpEntityId === spEntityId)
    return fault(
      check,
      "the identity provider's entity id is our own: give the one from its metadata",
    );
  return fine(check, `the identity provider is "${idpEntityId}"`);
}

function checkSsoUrl({ idpSsoUrl }: SamlProvider): Finding {
  const check = 'sign-on address';
  if (!URL.canParse(idpSsoUrl))
    return fault(check, "the identity provider's sign-on address is missing or not a URL");
  if (new URL(idpSsoUrl).protocol !== 'https:')
    return fault(check, "the identity provider's sign-on address does not begin with https:");
  return fine(check, `users are sent to ${new URL(idpSsoUrl).origin}`);
}

function checkCertificate(check: string, pem: string, now: Date): Finding {
  const certificate = findCertificate(Buffer.from(pem));
  if (!certificate) return fault(check, 'it cannot be read');
  const [from, to] = [new Date(certificate.validFrom), new Date(certificate.validTo)];
  const ends = `until ${to.toISOString().slice(0, 10)}`;
  if (certificate.publicKey.asymmetricKeyType !== 'rsa')
    return fault(check, 'it has no RSA key, and other signatures are not supported');
  if (bitsOf(certificate.publicKey) < minBits)
    return fault(
      check,
      `its key has ${bitsOf(certificate.publicKey)} bits: ${minBits} or more are required`,
    );
  if (now >= to) return fault(check, `it was valid ${ends}: give its replacement`);
  if (now < from)
    return {
      check,
      level: 'warning',
      message: `it is not valid before ${from.toISOString().slice(0, 10)}`,
    };
  if (to.getTime() - now.getTime() < 30 * day)
    return {
      check,
      level: 'warning',
      message: `it is valid only ${ends}: add its replacement`,
    };
  return fine(check, `it is valid ${ends}, with a key of ${bitsOf(certificate.publicKey)} bits`);
}
