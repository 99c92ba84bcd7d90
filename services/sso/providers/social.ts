import { createCache } from '@bailiwick/broker';
import type { Handlers } from '@bailiwick/pipeline';
import type { Sso } from '@bailiwick/proto/gen/bailiwick/sso/v1/sso_pb.ts';
import { addressOf } from '../addresses.ts';
import type { ProviderDeps } from './deps.ts';
import { type ActiveProvider, listActive } from './queries.ts';

/** How old the list may be: each load of the sign-in page asks for it. */
const lifetimeMs = 5000;

/** The providers of the platform, for the buttons of the sign-in page. */
export function socialProvidersHandler({
  database,
  publicUrl,
}: Pick<ProviderDeps, 'database' | 'publicUrl'>): Pick<
  Handlers<typeof Sso>,
  'listSocialProviders'
> {
  const cache = createCache<ActiveProvider[]>({ size: 1, lifetimeMs });
  return {
    async listSocialProviders() {
      const active = await cache.getOrLoad('', () => listActive(database, ''));
      const providers = active.map(({ id, name, kind }) => ({
        id,
        name,
        kind,
        loginUrl: addressOf(publicUrl, { tenant: '', id }, 'login'),
      }));
      return { providers };
    },
  };
}
