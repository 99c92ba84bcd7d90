import { Buffer } from 'node:buffer';
import type { TenantKeys } from '@bailiwick/shared/keys/tenant-keys.ts';
import type { ProviderValues } from './record.ts';

/** What a provider knows us by: our client secret at an OIDC provider, and the private key of `spCertificate` in PEM; "" = there is none. */
export type Credentials = { clientSecret: string; privateKey: string };

const contextOf = (provider: string) => [provider, 'secret'] as const;

/** Both in one: they are always under one data key. */
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
