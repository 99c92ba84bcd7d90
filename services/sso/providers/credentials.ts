import { Buffer } from 'node:buffer';
import { type TenantKeys } from '@bailiwick/keys';
import type { ProviderValues } from './api-record.ts';

/**
 * The credentials for a provider: the client secret of an OIDC provider, and the private key of
 * `spCertificate` in PEM; "" = none.
 */
export type Credentials = { clientSecret: string; privateKey: string };

const contextOf = (provider: string) => [provider, 'secret'] as const;

/** Seals both together, so that they always share one data key. */
export async function sealCredentials(
  keys: TenantKeys,
  { tenant, id }: Pick<ProviderValues, 'tenant' | 'id'>,
  { clientSecret, privateKey }: Credentials,
) {
  const { dekId, sealed } = await keys.seal(
    tenant,
    Buffer.from(JSON.stringify({ clientSecret, privateKey })),
    contextOf(id),
  );
  return { dekId, secretEnc: sealed };
}

type Holder = Pick<ProviderValues, 'tenant' | 'id' | 'dekId' | 'secretEnc'>;

export async function openCredentials(
  keys: TenantKeys,
  { tenant, id, dekId, secretEnc }: Holder,
): Promise<Credentials> {
  return JSON.parse(
    (await keys.open(tenant, { dekId, sealed: secretEnc }, contextOf(id))).toString(),
  ) as Credentials;
}
