import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** The certificate, key and trusted authorities of one end of a TLS connection, as PEM. */
export type Material = { cert: string; key: string; ca: string };

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates in a PEM file. @throws for anything else, including a truncated certificate */
export function parseCertificates(pem: string): X509Certificate[] {
  const blocks = pem.match(certificateForm) ?? [];
  // Comments between certificates are allowed.
  const isWhole = blocks.length > 0 && !/-----(BEGIN|END)/.test(pem.replace(certificateForm, ''));
  try {
    if (isWhole) return blocks.map((one) => new X509Certificate(one));
  } catch {
    // OpenSSL's message does not help an operator
  }
  throw new Error('must hold certificates in PEM');
}

/** The required extended key usages: both ends of a connection show the same certificate. */
const uses = {
  '1.3.6.1.5.5.7.3.1': 'servers (serverAuth)',
  '1.3.6.1.5.5.7.3.2': 'clients (clientAuth)',
};

/**
 * Checks that the three belong together. The error message continues a sentence that begins with
 * their names.
 */
export function assertMaterial({ cert, key, ca }: Material): void {
  const [own] = parseCertificates(cert);
  parseCertificates(ca);
  const missing = Object.entries(uses).filter(
    ([use]) => own?.keyUsage !== undefined && !own.keyUsage.includes(use),
  );
  if (missing.length > 0)
    throw new Error(
      `must hold a certificate that is also for ${missing.map(([, name]) => name).join(' and ')}`,
    );
  try {
    createSecureContext({ cert, key });
  } catch {
    throw new Error('must hold a certificate and its own private key');
  }
}
