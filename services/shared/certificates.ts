import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** What one end of a connection between processes shows, and whom it trusts. All of it PEM. */
export type Material = { cert: string; key: string; ca: string };

const certificateForm = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a file. Throws on anything else, and on a half of one. */
export function parseCertificates(pem: string): X509Certificate[] {
  const found = pem.match(certificateForm) ?? [];
  // Comments may stand between them.
  const isWhole = found.length > 0 && !/-----(BEGIN|END)/.test(pem.replace(certificateForm, ''));
  try {
    if (isWhole) return found.map((one) => new X509Certificate(one));
  } catch {
    // what OpenSSL says of it would help nobody
  }
  throw new Error('must hold certificates in PEM');
}

/** The uses that a certificate may be bound to: both ends of a connection show the same one. */
const uses = {
  '1.3.6.1.5.5.7.3.1': 'servers (serverAuth)',
  '1.3.6.1.5.5.7.3.2': 'clients (clientAuth)',
};

/** Throws what is wrong with the three together, in words that follow their names. */
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
