import type { ProviderValues } from '../api-record.ts';
import type { KnownMetadata } from '../metadata.ts';
import type { Settable } from '../values.ts';
import { type CertificateChanges, countsFrom, day } from './certificates.ts';

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

function keptCertificates(
  stored: ProviderValues,
  { idpCertificates, certificateChanges }: Settable,
  now: Date,
): Pick<ProviderValues, 'pendingCertificates' | 'leavingCertificates'> {
  const waiting = stored.pendingCertificates.filter(
    ({ certificate }) => !idpCertificates.includes(certificate),
  );
  const countsAt = countsFrom(certificateChanges as CertificateChanges, now);
  return {
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
