import type { ProviderDeps } from './deps.ts';

type Deps = Pick<ProviderDeps, 'federation' | 'admission'>;

/**
 * Revokes everything that came from a deleted provider: sessions, links, and grants of its
 * mappings.
 */
export async function forgetProvider(
  { federation, admission }: Deps,
  tenant: string,
  provider: string,
): Promise<void> {
  await federation.forgetProvider({ tenant, provider });
  for (let done = false; !done; ) ({ done } = await admission.takeBack({ tenant, provider }));
}
