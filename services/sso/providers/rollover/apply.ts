import { isDeepStrictEqual } from 'node:util';
import { changedFields, serviceOrigin, timeAfter } from '@bailiwick/contract';
import type { Transaction } from '@bailiwick/store';
import { type InferEntity } from '@mikro-orm/core';
import { namesService } from '../../saml/metadata.ts';
import type { SourcedMetadata } from '../../saml/metadata-signature.ts';
import { recordProviderEvent, toJson } from '../api-record.ts';
import type { ProviderEntity } from '../entities.ts';
import { addressWarning, isAboutMetadata, leftOutWarning } from '../metadata.ts';
import {
  type CertificateChanges,
  type Certificates,
  compareCertificates,
  dueNotice,
  nextLook,
  settledCertificates,
} from './certificates.ts';
import { nextReading } from './save.ts';

type Row = InferEntity<typeof ProviderEntity>;

export const byService = serviceOrigin('sso');

const certificatesOf = ({
  idpCertificates,
  pendingCertificates,
  leavingCertificates,
}: Row): Certificates => ({ idpCertificates, pendingCertificates, leavingCertificates });

/** Stores metadata that were read again. They change certificates only, and those not at once. */
export function applyMetadata(
  tx: Transaction,
  row: Row,
  { metadata, publicUrl }: { metadata: SourcedMetadata; publicUrl: string },
): void {
  const now = new Date();
  settle(tx, row, publicUrl, now);
  const { after, hasNew } = compareCertificates(
    certificatesOf(row),
    metadata.idpCertificates,
    row.certificateChanges as CertificateChanges,
    now,
  );
  change(tx, row, {
    after,
    type: hasNew ? 'sso.certificate_announced' : 'sso_provider.updated',
    publicUrl,
  });
  warn(row, metadata, now);
  tx.em.assign(row, {
    // The key that signs from now on. The earlier one is trusted as long as its certificate counts.
    ...(row.metadataSigner !== '' && { metadataSigner: metadata.signer }),
    metadataReadAt: now,
    metadataError: '',
    metadataFailures: 0,
    metadataDueAt: nextReading(now),
    certificatesDueAt: nextLook(after, now),
  });
}

/** Brings the stored certificates up to date, and announces the expiry of the last one. */
export function settleCertificates(tx: Transaction, row: Row, publicUrl: string): void {
  const now = new Date();
  settle(tx, row, publicUrl, now);
  const certificates = certificatesOf(row);
  const notice = dueNotice(certificates, row.expiryNotice, now);
  // A provider that is switched off opens no session. It gets its notice when it is switched on.
  if (notice !== undefined && row.active) {
    row.expiryNotice = notice;
    recordProviderEvent(tx, 'sso.certificate_expiring', { row, publicUrl });
  }
  row.certificatesDueAt = nextLook(certificates, now);
}

function settle(tx: Transaction, row: Row, publicUrl: string, now: Date): void {
  const after = settledCertificates(certificatesOf(row), now);
  change(tx, row, { after, type: 'sso.certificates_changed', publicUrl });
}

type Change = { after: Certificates; type: string; publicUrl: string };

function change(tx: Transaction, row: Row, { after, type, publicUrl }: Change): void {
  if (isDeepStrictEqual(certificatesOf(row), after)) return;
  const before = toJson(row, publicUrl);
  tx.em.assign(row, after);
  row.updatedAt = timeAfter(row.updatedAt);
  const previous = changedFields(before, toJson(row, publicUrl));
  recordProviderEvent(tx, type, { row, publicUrl, previous });
}

/** The warning of these metadata, in place of an earlier one about metadata. */
function warn(row: Row, metadata: SourcedMetadata, now: Date): void {
  const { idpSsoUrl, requestBinding } = row;
  const isNamed = namesService(metadata.text, {
    idpSsoUrl,
    requestBinding: requestBinding as SourcedMetadata['requestBinding'],
  });
  const warning = isNamed ? leftOutWarning(metadata) : addressWarning(metadata);
  if (warning === row.lastWarning || (warning === '' && !isAboutMetadata(row.lastWarning))) return;
  row.lastWarning = warning;
  if (warning !== '') row.lastWarningAt = now;
}
