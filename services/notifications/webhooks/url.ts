import { Buffer } from 'node:buffer';
import { CannotOpen, type TenantKeys } from '@bailiwick/keys';
import type { Log } from '@bailiwick/process';
import { type Database, oldestSupported } from '@bailiwick/store';
import { maskedUrl } from '../endpoints/masked-url.ts';
import type { WebhookEndpointRow } from './entities.ts';

// The URL of a webhook endpoint, sealed: its query or its path may hold a secret of the receiver. It
// stays in clear while a version may run that knows no sealed URLs, and a URL in clear counts: such
// a version has written it.

/** The first version of the schema, and so of the code, with sealed URLs. */
export const sealedUrlsVersion = 12;

/** The columns of a URL. */
export type UrlColumns = Pick<WebhookEndpointRow, 'url' | 'urlEnc' | 'urlDekId' | 'urlMasked'>;

type EndpointId = { tenant: string; id: string };

/** The context that a URL is sealed with: the record and the field. */
const urlContext = (endpoint: string) => [endpoint, 'url'] as const;

/** Whether URLs may be sealed: no version runs that would not find them. */
export const sealsUrls = async (database: Database): Promise<boolean> =>
  (await oldestSupported(database)) >= sealedUrlsVersion;

export async function sealUrl(
  keys: TenantKeys,
  { tenant, id }: EndpointId,
  url: string,
): Promise<UrlColumns> {
  const { dekId, sealed } = await keys.seal(tenant, Buffer.from(url), urlContext(id));
  return { url: '', urlEnc: sealed, urlDekId: dekId, urlMasked: maskedUrl(url) };
}

/** The columns to store for a URL. Call it outside of a transaction: the key service may be slow. */
export const storedUrl = async (
  { database, keys }: { database: Database; keys: TenantKeys },
  endpoint: EndpointId,
  url: string,
): Promise<UrlColumns> =>
  url !== '' && (await sealsUrls(database))
    ? sealUrl(keys, endpoint, url)
    : { url, urlEnc: null, urlDekId: '', urlMasked: '' };

/** The whole URL. @throws CannotOpen if its key is lost */
export async function openUrl(
  keys: TenantKeys,
  { tenant, id }: EndpointId,
  { url, urlEnc, urlDekId: dekId }: Omit<UrlColumns, 'urlMasked'>,
): Promise<string> {
  if (url !== '' || !urlEnc) return url;
  return (await keys.open(tenant, { dekId, sealed: urlEnc }, urlContext(id))).toString();
}

/**
 * The whole URL for the API; empty if its key is lost, so that the endpoint can still be listed,
 * disabled, deleted and given another URL.
 */
export async function readUrl(
  { keys, log }: { keys: TenantKeys; log: Log },
  row: EndpointId & UrlColumns,
): Promise<string> {
  try {
    return await openUrl(keys, row, row);
  } catch (error) {
    if (!(error instanceof CannotOpen)) throw error;
    const { tenant, id, urlDekId: dek } = row;
    log.error('the URL of a webhook endpoint cannot be opened', { id, tenant, dek, error });
    return '';
  }
}

/** The URL as events and the receivers' portal show it. */
export const displayUrl = ({ url, urlMasked }: UrlColumns): string =>
  url === '' ? urlMasked : maskedUrl(url);
