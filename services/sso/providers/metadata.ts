import { type Egress, RequestFailed, request } from '@bailiwick/egress';
import { invalid } from '@bailiwick/errors';
import type { SsoSaveProviderRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { type IdpMetadata, readIdpMetadata } from '../saml/metadata.ts';

const limits = { totalMs: 10_000, answerBytes: 256 * 1024 };

/** The SAML metadata of a request, inline or fetched; undefined if it has none. */
export async function readMetadata(
  egress: Egress,
  { metadataXml, metadataUrl }: SsoSaveProviderRequest,
  signal: AbortSignal,
): Promise<IdpMetadata | undefined> {
  if (metadataUrl !== '') return readIdpMetadata(await fetchMetadata(egress, metadataUrl, signal));
  return metadataXml === '' ? undefined : readIdpMetadata(metadataXml);
}

async function fetchMetadata(egress: Egress, url: string, signal: AbortSignal): Promise<string> {
  try {
    const answer = await request(egress, {
      method: 'GET',
      url,
      headers: { accept: 'application/samlmetadata+xml, application/xml' },
      limits,
      signal,
    });
    if (answer.status !== 200)
      throw invalid(`MetadataURL cannot be fetched: it answered ${answer.status}`);
    if (answer.truncated)
      throw invalid('MetadataURL cannot be used: it answered with more than 256 KiB');
    return textOf(answer.body);
  } catch (error) {
    if (error instanceof RequestFailed)
      throw invalid(`MetadataURL cannot be fetched: ${error.message}`);
    throw error;
  }
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalid('MetadataURL cannot be used: its answer is not UTF-8');
  }
}

const leftOutReason = 'CERTIFICATES_LEFT_OUT';

/** The stored warning, as far as it is still true without new metadata. */
export const keptWarning = (stored: string): string =>
  stored.startsWith(leftOutReason) ? stored : '';

/** The warning about certificates in metadata that were left out; "" if there are none. */
export const leftOutWarning = ({ leftOut = [] }: Pick<IdpMetadata, 'leftOut'>): string =>
  leftOut.length === 0
    ? ''
    : `${leftOutReason}: The metadata has certificates for signing that were left out: ${leftOut.join('; ')}.`;
