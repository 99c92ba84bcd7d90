import { factsOf } from '../../saml/certificates.ts';
import type { LeavingCertificate, PendingCertificate } from '../entities.ts';

// The certificates of a SAML provider while its metadata replace them: a new one is pending for a
// day or until an administrator confirms it, and one that the metadata no longer name is leaving.

const hour = 60 * 60 * 1000;
export const day = 24 * hour;
/** How long a new certificate is announced before it counts. */
const announcedMs = day;
const leavingMs = 7 * day;
/** As many as a provider's record and its metadata may have. */
const maxCertificates = 5;
const noticeDays = [7, 30] as const;

/** The certificates of a provider. */
export type Certificates = {
  idpCertificates: string[];
  pendingCertificates: PendingCertificate[];
  leavingCertificates: LeavingCertificate[];
};

/** How a new certificate comes to count. */
export type CertificateChanges = 'auto' | 'ask';

const isPast = (time: string | null, now: Date): boolean => time !== null && new Date(time) <= now;

const expiryOf = (certificate: string): number => factsOf(certificate)?.expiresAt.getTime() ?? 0;

/**
 * The certificates that count now. Every reader asks this, so that nothing depends on the moment at
 * which the stored ones are settled.
 */
export function countingCertificates(
  { idpCertificates, pendingCertificates, leavingCertificates }: Certificates,
  now: Date,
): string[] {
  const added = pendingCertificates
    .filter(({ countsAt }) => isPast(countsAt, now))
    .map(({ certificate }) => certificate)
    // A process of an earlier version saves a pending one and leaves it pending.
    .filter((certificate) => !idpCertificates.includes(certificate));
  const leaving = new Map(
    leavingCertificates.map(({ certificate, endsAt }) => [certificate, endsAt]),
  );
  const staying = idpCertificates.filter(
    (certificate) => !isPast(leaving.get(certificate) ?? null, now),
  );
  // There is no room for all: the first to leave goes earlier.
  const excess = staying.length + added.length - maxCertificates;
  const early = staying
    .filter((certificate) => leaving.has(certificate))
    .toSorted((a, b) => (leaving.get(a) ?? '').localeCompare(leaving.get(b) ?? ''))
    .slice(0, Math.max(0, excess));
  const counting = [...staying.filter((certificate) => !early.includes(certificate)), ...added];
  if (counting.length > 0) return counting;
  // The last one stays: without any, no sign-in could succeed.
  return idpCertificates.toSorted((a, b) => expiryOf(b) - expiryOf(a)).slice(0, 1);
}

/** The certificates to store: those that count, and those that will come and go. */
export function settledCertificates(before: Certificates, now: Date): Certificates {
  const idpCertificates = countingCertificates(before, now);
  return {
    idpCertificates,
    pendingCertificates: before.pendingCertificates.filter(
      ({ certificate }) => !idpCertificates.includes(certificate),
    ),
    leavingCertificates: before.leavingCertificates.filter(({ certificate }) =>
      idpCertificates.includes(certificate),
    ),
  };
}

/** When a new certificate counts if it is announced at `now`; null = after a confirmation. */
export const countsFrom = (changes: CertificateChanges, now: Date): string | null =>
  changes === 'ask' ? null : new Date(now.getTime() + announcedMs).toISOString();

/** The certificates after the metadata named these. `hasNew`: whether one is seen for the first time. */
export function compareCertificates(
  before: Certificates,
  published: readonly string[],
  changes: CertificateChanges,
  now: Date,
): { after: Certificates; hasNew: boolean } {
  const pending = new Map(before.pendingCertificates.map((one) => [one.certificate, one]));
  const leaving = new Map(before.leavingCertificates.map((one) => [one.certificate, one]));
  const fresh = published.filter((certificate) => !before.idpCertificates.includes(certificate));
  const foundAt = now.toISOString();
  const endsAt = new Date(now.getTime() + leavingMs).toISOString();
  const after = {
    idpCertificates: before.idpCertificates,
    pendingCertificates: fresh.map(
      (certificate) =>
        pending.get(certificate) ?? { certificate, foundAt, countsAt: countsFrom(changes, now) },
    ),
    leavingCertificates: before.idpCertificates
      .filter((certificate) => !published.includes(certificate))
      .map((certificate) => leaving.get(certificate) ?? { certificate, endsAt }),
  };
  return { after, hasNew: fresh.some((certificate) => !pending.has(certificate)) };
}

/** When the last of the certificates that count expires; undefined if none of them can be read. */
export function expiryOfLast(certificates: Certificates, now: Date): Date | undefined {
  const ends = countingCertificates(certificates, now).map(expiryOf);
  const last = Math.max(...ends);
  return last > 0 ? new Date(last) : undefined;
}

/** The notice about the expiry that is due and was not given yet; undefined = none. */
export function dueNotice(
  certificates: Certificates,
  lastNotice: string,
  now: Date,
): string | undefined {
  const end = expiryOfLast(certificates, now);
  if (!end || end <= now) return undefined;
  const days = noticeDays.find((one) => end.getTime() - now.getTime() <= one * day);
  const notice = days && `${end.toISOString()} ${days}`;
  return notice === lastNotice ? undefined : notice;
}

/** When the certificates are to be looked at again: at their next change or notice, at most in a day. */
export function nextLook(certificates: Certificates, now: Date): Date {
  const end = expiryOfLast(certificates, now)?.getTime() ?? 0;
  const times = [
    ...certificates.pendingCertificates.map(({ countsAt }) => countsAt ?? ''),
    ...certificates.leavingCertificates.map(({ endsAt }) => endsAt),
  ].map((time) => Date.parse(time));
  const notices = noticeDays.map((days) => end - days * day);
  const later = [...times, ...notices].filter((time) => time > now.getTime());
  return new Date(Math.min(now.getTime() + day, ...later));
}
