import { type Egress, RequestFailed, request } from '@bailiwick/egress';
import { invalid } from '@bailiwick/errors';
import { deferred } from '@bailiwick/process';
import type { SsoSaveProviderRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/provider_pb.ts';
import { type IdpMetadata, readIdpMetadata } from '../saml/metadata.ts';

const loadSignatures = deferred(() => import('../saml/metadata-signature.ts'));

const limits = { totalMs: 10_000, answerBytes: 256 * 1024 };

/** The metadata of a save. `url` and `signer`: where they are read from now on, and who signs them. */
export type KnownMetadata = IdpMetadata & { url?: string; signer?: string };

/** The SAML metadata of a request, inline or fetched; undefined if it has none. */
export async function readMetadata(
  egress: Egress,
  request: SsoSaveProviderRequest,
  storedUrl: string,
  signal: AbortSignal,
): Promise<KnownMetadata | undefined> {
  const { metadataXml } = request;
  const url = addressIn(request, storedUrl);
  if (url === '') return metadataXml === '' ? undefined : readIdpMetadata(metadataXml);
  if (metadataXml !== '') throw invalid('MetadataXML and Provider.MetadataURL cannot both be sent');
  const { readFirstMetadata } = await loadSignatures();
  return { ...readFirstMetadata(await fetchMetadata(egress, url, signal)), url };
}

/** The address to fetch; the stored one is fetched only if the request itself names it. */
function addressIn({ metadataUrl, provider }: SsoSaveProviderRequest, storedUrl: string): string {
  const providerUrl = provider?.metadataUrl ?? '';
  return metadataUrl !== '' || providerUrl === storedUrl ? metadataUrl : providerUrl;
}

/** Fetches the text at an address. Redirects are not followed. */
export async function fetchMetadata(
  egress: Egress,
  url: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const answer = await request(egress, {
      method: 'GET',
      url,
      headers: { accept: 'application/samlmetadata+xml, application/xml' },
      limits,
      signal,
    });
    if (answer.status >= 300 && answer.status < 400)
      throw invalid('MetadataURL cannot be fetched: it redirects, and redirects are not followed');
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
const addressReason = 'ADDRESS_DIFFERS';

/** The stored warning, as far as it is still true without new metadata. */
export const keptWarning = (stored: string): string =>
  stored.startsWith(leftOutReason) ? stored : '';

/** Whether a stored warning is about metadata. */
export const isAboutMetadata = (stored: string): boolean =>
  stored.startsWith(leftOutReason) || stored.startsWith(addressReason);

/** The warning about certificates in metadata that were left out; "" if there are none. */
export const leftOutWarning = ({ leftOut = [] }: Pick<IdpMetadata, 'leftOut'>): string =>
  leftOut.length === 0
    ? ''
    : `${leftOutReason}: The metadata has certificates for signing that were left out: ${leftOut.join('; ')}.`;

/** The warning about a sign-on address in metadata that is not the provider's. */
export const addressWarning = ({ idpSsoUrl }: Pick<IdpMetadata, 'idpSsoUrl'>): string =>
  `${addressReason}: The metadata has another sign-on address, ${idpSsoUrl}. It does not change by itself: compare it, and save the provider with it.`;
