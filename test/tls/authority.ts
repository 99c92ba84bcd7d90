// The certificate library finds its parts by reflection.
import 'reflect-metadata';
import { randomBytes, webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

// A certificate authority of a test. All of them have the same name, like the generations of a real
// one; the identifiers of their keys differ.

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const uses = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;
const hourMs = 3_600_000;

type Leaf = {
  /** The names and addresses in the certificate. */
  hosts?: readonly string[];
  /** The time until it expires. */
  endsInMs?: number;
  uses?: ReadonlyArray<keyof typeof uses>;
};

export type Authority = Awaited<ReturnType<typeof createAuthority>>;

export async function createAuthority() {
  const keys = await makeKeys();
  const own = await X509CertificateGenerator.createSelfSigned({
    ...validity(hourMs),
    serialNumber: randomBytes(8).toString('hex'),
    name: 'CN=Bailiwick test authority',
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    /** Its certificate, PEM. */
    ca: `${own.toString('pem')}\n`,

    /** A certificate with its private key, PEM. */
    async issue({
      hosts = ['127.0.0.1', 'localhost'],
      endsInMs = hourMs,
      uses: purposes = ['server', 'client'],
    }: Leaf = {}) {
      const leaf = await makeKeys();
      const certificate = await X509CertificateGenerator.create({
        ...validity(endsInMs),
        serialNumber: randomBytes(8).toString('hex'),
        subject: 'CN=bailiwick',
        issuer: own.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [
          await AuthorityKeyIdentifierExtension.create(keys.publicKey),
          new SubjectAlternativeNameExtension(
            hosts.map((host) => ({ type: /^[\d.]+$/.test(host) ? 'ip' : 'dns', value: host })),
          ),
          new ExtendedKeyUsageExtension(purposes.map((use) => uses[use])),
        ],
      });
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', leaf.privateKey)).toString(
        'base64',
      );
      return {
        cert: `${certificate.toString('pem')}\n`,
        key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n`,
      };
    },
  };
}

const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);

function validity(endsInMs: number) {
  const now = Date.now();
  return { notBefore: new Date(now - 2 * hourMs), notAfter: new Date(now + endsInMs) };
}
