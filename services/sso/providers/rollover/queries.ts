import type { Origin } from '@bailiwick/contract';
import type { Database, Statement } from '@bailiwick/store';

type ProviderKey = { tenant: string; id: string };

export type DueMetadata = ProviderKey & {
  url: string;
  entityId: string;
  signer: string;
};

// A replica has ten minutes for a provider. An unfinished one is due again after that.
const readings: Statement<DueMetadata, [limit: number]> = {
  name: 'sso.claim_metadata',
  text: `update provider p set metadata_due_at = now() + interval '10 minutes'
         where (p.tenant, p.id) in (select c.tenant, c.id from provider c where c.metadata_due_at <= now() order by c.metadata_due_at limit $1 for update skip locked)
         returning p.tenant, p.id, p.metadata_url as url, p.idp_entity_id as "entityId", p.metadata_signer as signer`,
  across: 'the daily reading covers all tenants',
};

/** Takes providers of all tenants whose metadata are due. */
export const claimMetadata = (
  database: Database,
  call: Origin,
  limit: number,
): Promise<DueMetadata[]> => database.write(call, readings, [limit]);

const dueProviders: Statement<ProviderKey, [limit: number]> = {
  name: 'sso.claim_certificates',
  text: `update provider p set certificates_due_at = now() + interval '10 minutes'
         where (p.tenant, p.id) in (select c.tenant, c.id from provider c where c.kind = 'saml' and c.certificates_due_at <= now() order by c.certificates_due_at limit $1 for update skip locked)
         returning p.tenant, p.id`,
  across: 'the daily look covers all tenants',
};

/** Takes SAML providers of all tenants whose certificates are to be looked at. */
export const claimCertificates = (
  database: Database,
  call: Origin,
  limit: number,
): Promise<ProviderKey[]> => database.write(call, dueProviders, [limit]);

// The second reading waits ten minutes, and each further one twice as long, up to a day.
const failure: Statement<never, [tenant: string, id: string, url: string, reason: string]> = {
  name: 'sso.note_metadata_failure',
  text: `update provider set metadata_error = $4, metadata_failures = least(metadata_failures + 1, 30),
           metadata_due_at = now() + least(interval '10 minutes' * power(2, least(metadata_failures, 8)), interval '1 day') * (0.75 + random() * 0.25)
         where tenant = $1 and id = $2 and metadata_url = $3`,
};

/** Stores why metadata could not be read. UpdatedAt stays, because the provider does not change. */
export async function noteFailure(
  database: Database,
  call: Origin,
  { tenant, id, url }: Pick<DueMetadata, 'tenant' | 'id' | 'url'>,
  reason: string,
): Promise<void> {
  await database.write(call, failure, [tenant, id, url, reason]);
}
