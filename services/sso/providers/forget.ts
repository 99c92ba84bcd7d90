import type { Origin } from '@bailiwick/contract';
import type { ProviderDeps } from './deps.ts';

type Deps = Pick<ProviderDeps, 'federation' | 'admission'>;

/** Revokes the sessions and links of a provider. */
export async function forgetIdentities(
  federation: Deps['federation'],
  tenant: string,
  provider: string,
  call: Origin,
): Promise<void> {
  for (let more = true; more; )
    ({ more } = await federation.forgetProvider({ tenant, provider }, call));
}

/**
 * Revokes everything that came from a deleted provider: sessions, links, and grants of its
 * mappings, which only a tenant's provider has.
 */
export async function forgetProvider(
  deps: Deps,
  tenant: string,
  provider: string,
  call: Origin,
): Promise<void> {
  await forgetIdentities(deps.federation, tenant, provider, call);
  if (tenant === '') return;
  for (let done = false; !done; )
    ({ done } = await deps.admission.takeBack({ tenant, provider }, call));
}
