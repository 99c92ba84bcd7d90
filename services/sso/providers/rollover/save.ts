import type { ProviderValues, Settable } from '../api-record.ts';
import type { KnownMetadata } from '../metadata.ts';
import { type CertificateChanges, countingCertificates, countsFrom, day } from './certificates.ts';

const unread = {
  metadataSigner: '',
  metadataReadAt: null,
  metadataError: '',
  metadataFailures: 0,
  metadataDueAt: null,
  pendingCertificates: [],
  leavingCertificates: [],
} satisfies Partial<ProviderValues>;

/** When metadata that could be read are read again: in a day, not all at the same time. */
export const nextReading = (now: Date): Date =>
  new Date(now.getTime() + day - Math.random() * (day / 24));

/** The columns of metadata that were just read, or of a provider without. */
const startOf = ({ url, signer = '' }: Pick<KnownMetadata, 'url' | 'signer'>, now: Date) =>
  url === undefined
    ? unread
    : { ...unread, metadataSigner: signer, metadataReadAt: now, metadataDueAt: nextReading(now) };

/** The columns of a new provider. */
export const newColumns = (metadata: KnownMetadata | undefined, now = new Date()) => ({
  ...startOf(metadata ?? {}, now),
  expiryNotice: '',
  certificatesDueAt: now,
});

/** The columns that a save changes. Its own certificates count at once. */
export const savedColumns = (
  stored: ProviderValues,
  values: Settable,
  metadata: KnownMetadata | undefined,
  now = new Date(),
) => ({
  certificatesDueAt: now,
  ...(metadata?.url !== undefined || values.metadataUrl === ''
    ? startOf(metadata ?? {}, now)
    : keptCertificates(stored, values, now)),
});

/** The certificates whose keys may sign the next metadata; none = they may be unsigned. */
export const trustedSigners = (row: ProviderValues, now = new Date()): string[] =>
  row.metadataSigner === '' ? [] : [row.metadataSigner, ...countingCertificates(row, now)];

/**
 * Whether a save trusts metadata that the daily reading would refuse for their signature. It is
 * then a change of the identifying settings, though the address is the same.
 */
export function loosensSigner(
  stored: ProviderValues,
  { url, signer = '' }: Pick<KnownMetadata, 'url' | 'signer'> = {},
): boolean {
  const trusted = trustedSigners(stored);
  return url !== undefined && trusted.length > 0 && !trusted.includes(signer);
}

/** A certificate that a save removes signs no metadata either: one of those that stay does. */
const keptSigner = ({ metadataSigner, idpCertificates }: ProviderValues, staying: string[]) =>
  idpCertificates.includes(metadataSigner) && !staying.includes(metadataSigner)
    ? (staying[0] ?? metadataSigner)
    : metadataSigner;

function keptCertificates(
  stored: ProviderValues,
  { idpCertificates, certificateChanges }: Settable,
  now: Date,
): Pick<ProviderValues, 'metadataSigner' | 'pendingCertificates' | 'leavingCertificates'> {
  const waiting = stored.pendingCertificates.filter(
    ({ certificate }) => !idpCertificates.includes(certificate),
  );
  const countsAt = countsFrom(certificateChanges as CertificateChanges, now);
  return {
    metadataSigner: keptSigner(stored, idpCertificates),
    // Another setting applies to pending certificates too.
    pendingCertificates:
      stored.certificateChanges === certificateChanges
        ? waiting
        : waiting.map((one) => ({ ...one, countsAt })),
    leavingCertificates: stored.leavingCertificates.filter(({ certificate }) =>
      idpCertificates.includes(certificate),
    ),
  };
}
