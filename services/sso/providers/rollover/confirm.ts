import { ServiceError } from '@bailiwick/errors';
import type { Call } from '@bailiwick/pipeline';
import {
  type SsoConfirmCertificateRequest,
  SsoSaveProviderRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { create } from '@bufbuild/protobuf';
import { factsOf } from '../../saml/certificates.ts';
import type { ProviderValues } from '../api-record.ts';
import type { ProviderDeps } from '../deps.ts';
import { findProvider, providerNotFound } from '../queries.ts';
import { saveProvider } from '../save.ts';
import { countingCertificates } from './certificates.ts';

const certificateNotFound = () =>
  new ServiceError(
    'not_found',
    '',
    'the provider has no pending certificate with this fingerprint: Sso_GetProvider returns them',
  );

/**
 * Sso_ConfirmCertificate: the save that the caller could make by hand, with its rules about the
 * caller's rights.
 */
export async function confirmCertificate(
  deps: ProviderDeps,
  { tenant, id, fingerprint, ifUpdatedAt }: SsoConfirmCertificateRequest,
  call: Call,
): Promise<ProviderValues> {
  const stored = await findProvider(deps.database, tenant, id);
  if (!stored) throw providerNotFound();
  const now = new Date();
  const pendingCertificates = stored.pendingCertificates.map((one) =>
    factsOf(one.certificate)?.fingerprint === fingerprint
      ? { ...one, countsAt: now.toISOString() }
      : one,
  );
  const items = countingCertificates({ ...stored, pendingCertificates }, now);
  if (!items.some((certificate) => factsOf(certificate)?.fingerprint === fingerprint))
    throw certificateNotFound();
  // The version keeps the list from being that of an earlier provider.
  const request = create(SsoSaveProviderRequestSchema, {
    provider: { tenant, id, idpCertificates: { items } },
    ...(ifUpdatedAt && { ifUpdatedAt }),
  });
  return saveProvider(deps, request, call);
}
