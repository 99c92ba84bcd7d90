import { Buffer } from 'node:buffer';
import { type TenantKeys } from '@bailiwick/keys';
import type { ProviderValues } from './api-record.ts';

/**
 * The credentials for a provider, "" = none: the client secret of an OIDC provider, or the key that
 * signs one for each request, and the private key of `spCertificate`. Keys are in PEM.
 */
export type Credentials = { clientSecret: string; signingKey: string; privateKey: string };

const contextOf = (provider: string) => [provider, 'secret'] as const;

/** Seals all together, so that they always share one data key. */
export async function sealCredentials(
  keys: TenantKeys,
  { tenant, id }: Pick<ProviderValues, 'tenant' | 'id'>,
  { clientSecret, signingKey, privateKey }: Credentials,
) {
  const { dekId, sealed } = await keys.seal(
    tenant,
    Buffer.from(JSON.stringify({ clientSecret, signingKey, privateKey })),
    contextOf(id),
  );
  return { dekId, secretEnc: sealed };
}

type Holder = Pick<ProviderValues, 'tenant' | 'id' | 'dekId' | 'secretEnc'>;

export async function openCredentials(
  keys: TenantKeys,
  { tenant, id, dekId, secretEnc }: Holder,
): Promise<Credentials> {
  const opened = JSON.parse(
    (await keys.open(tenant, { dekId, sealed: secretEnc }, contextOf(id))).toString(),
  ) as Partial<Credentials>;
  // Rows of the version before signing keys have none.
  return { clientSecret: '', signingKey: '', privateKey: '', ...opened };
}
