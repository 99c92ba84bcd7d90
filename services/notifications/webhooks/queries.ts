import type { Buffer } from 'node:buffer';
import type { Origin } from '@bailiwick/contract';
import { recordRevocation } from '@bailiwick/outbox';
import type { PageQuery } from '@bailiwick/pipeline';
import { type Database, msUntil, type Statement, type Transaction } from '@bailiwick/store';
import type { EndpointColumns } from './api-record.ts';
import type { UrlColumns } from './url.ts';

const columns = `id, tenant, name, url, url_enc as "urlEnc", url_dek_id as "urlDekId", url_masked as "urlMasked", active, event_types as "eventTypes", description, rate_limit as "rateLimit", dek_id as "dekId",
  disabled_reason as "disabledReason", disabled_at as "disabledAt", created_at as "createdAt", updated_at as "updatedAt",
  previous_secret_until as "previousSecretUntil"`;

const one: Statement<EndpointColumns, [tenant: string, id: string]> = {
  name: 'notifications.webhook_endpoint',
  text: `select ${columns} from webhook_endpoint where tenant = $1 and id = $2`,
};
const page: Statement<EndpointColumns, [tenant: string, after: string, limit: number]> = {
  name: 'notifications.webhook_endpoints',
  text: `select ${columns} from webhook_endpoint where tenant = $1 and id > $2 order by id limit $3`,
};
const tenantOfOne: Statement<{ tenant: string }, [id: string]> = {
  name: 'notifications.webhook_endpoint_tenant',
  text: 'select tenant from webhook_endpoint where id = $1',
  across:
    'returns the tenant of an endpoint for an update without one; the caller is authorized in it',
};

export async function findEndpoint(
  database: Database,
  tenant: string,
  id: string,
): Promise<EndpointColumns | undefined> {
  const rows = await database.query(one, [tenant, id]);
  return rows[0];
}

/** One row more than the page holds. */
export function listEndpoints(
  database: Database,
  tenant: string,
  { limit, after }: PageQuery,
): Promise<EndpointColumns[]> {
  return database.query(page, [tenant, after, limit]);
}

/** The tenant of an endpoint, for updateEndpoint, which may name an endpoint without its tenant. */
export async function findTenantOfEndpoint(
  database: Database,
  id: string,
): Promise<string | undefined> {
  const rows = await database.query(tenantOfOne, [id]);
  return rows[0]?.tenant;
}

/**
 * `previousSecretEnc` is set while the previous secret still signs, and `unchangedMs` is how much
 * longer.
 */
export type DeliveryTarget = {
  url: string;
  urlEnc: Buffer | null;
  urlDekId: string;
  active: boolean;
  dekId: string;
  secretEnc: Buffer;
  previousSecretEnc: Buffer | null;
  unchangedMs: number | null;
};

const targets: Statement<
  DeliveryTarget & { place: number },
  [tenants: readonly string[], endpoints: readonly string[]]
> = {
  name: 'notifications.delivery_targets',
  text: `select place::int, url, url_enc as "urlEnc", url_dek_id as "urlDekId", active, dek_id as "dekId", secret_enc as "secretEnc", case when previous_secret_until > now() then previous_secret_enc end as "previousSecretEnc",
           case when previous_secret_until > now() then ${msUntil('previous_secret_until')} end as "unchangedMs"
         from unnest($1::text[], $2::text[]) with ordinality as wanted (tenant, id, place)
         join webhook_endpoint e on e.tenant = wanted.tenant and e.id = wanted.id`,
};

export type EndpointKey = { tenant: string; endpoint: string };

/**
 * The current delivery columns of endpoints, in the order of the keys: a URL or secret changed
 * since the event applies.
 */
export async function findDeliveryTargets(
  database: Database,
  keys: readonly EndpointKey[],
): Promise<Array<DeliveryTarget | undefined>> {
  const rows = await database.query(targets, [
    keys.map(({ tenant }) => tenant),
    keys.map(({ endpoint }) => endpoint),
  ]);
  const rowByPlace = new Map(rows.map((row) => [row.place, row]));
  return keys.map((_, index) => rowByPlace.get(index + 1));
}

export type ClearUrl = { tenant: string; id: string; url: string };

const clear: Statement<ClearUrl, [tenant: string, id: string, limit: number]> = {
  name: 'notifications.clear_urls',
  text: `select tenant, id, url from webhook_endpoint where url <> '' and (tenant, id) > ($1, $2) order by tenant, id limit $3`,
  across: 'seals the URLs of all tenants, each with the key of its tenant',
};

/** Endpoints whose URLs are stored in clear, after a tenant and an ID. */
export const listClearUrls = (
  database: Database,
  after: { tenant: string; id: string },
  limit: number,
): Promise<ClearUrl[]> => database.query(clear, [after.tenant, after.id, limit]);

const replaceClear: Statement<
  unknown,
  [
    tenant: string,
    id: string,
    url: string,
    urlEnc: UrlColumns['urlEnc'],
    urlDekId: string,
    urlMasked: string,
  ]
> = {
  name: 'notifications.replace_clear_url',
  text: `update webhook_endpoint set url = '', url_enc = $4, url_dek_id = $5, url_masked = $6
         where tenant = $1 and id = $2 and url = $3 returning id`,
};

/** Replaces a URL in clear with the sealed one. Returns false if it has changed meanwhile. */
export async function replaceClearUrl(
  database: Database,
  call: Origin,
  { tenant, id, url }: ClearUrl,
  { urlEnc, urlDekId, urlMasked }: Omit<UrlColumns, 'url'>,
): Promise<boolean> {
  const rows = await database.write(call, replaceClear, [
    tenant,
    id,
    url,
    urlEnc,
    urlDekId,
    urlMasked,
  ]);
  return rows.length > 0;
}

const erase: Statement<never, []> = {
  name: 'notifications.erase_previous_secrets',
  text: 'update webhook_endpoint set previous_secret_enc = null, previous_secret_until = null where previous_secret_until <= now()',
  across: 'the sweeper covers all tenants',
};

/**
 * Erases previous secrets after their grace period. An expired secret does not sign, even before it
 * is erased.
 */
export async function erasePreviousSecrets(database: Database, call: Origin): Promise<void> {
  await database.write(call, erase, []);
}

/** Deletes the endpoints of a purged tenant, and what processes have cached of them. */
export async function purgeEndpoints(tx: Transaction, tenant: string): Promise<void> {
  const rows = await tx.query<{ id: string }>(
    'delete from webhook_endpoint where tenant = $1 returning id',
    [tenant],
  );
  recordRevocation(
    tx,
    rows.map(({ id }) => `credential:${id}` as const),
  );
}
