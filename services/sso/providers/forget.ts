import type { ProviderDeps } from './deps.ts';

type Deps = Pick<ProviderDeps, 'federation' | 'admission'>;

/** Ends what came from a provider that is gone: sessions, links, and what its mappings gave. */
export async function forgetProvider(
  { federation, admission }: Deps,
  tenant: string,
  provider: string,
): Promise<void> {
  await federation.forgetProvider({ tenant, provider });
  for (let done = false; !done; ) ({ done } = await admission.takeBack({ tenant, provider }));
}
