import { createCache } from '@bailiwick/broker';
import { hasOwnName, serviceOrigin } from '@bailiwick/contract';
import { type BrandSettings, type Log, readBrandImage } from '@bailiwick/process';
import type { Tenants } from '@bailiwick/proto/gen/bailiwick/access/v1/tenants_pb.ts';
import type { PeerClient } from '@bailiwick/wire';
import { type Brand, displayName, type Sender } from './templates.ts';

// How mails look: like the tenant that they are about, else like the installation.

export type Brands = { of(tenant: string): Promise<Brand> };

const byService = serviceOrigin('notifications');

const cachedMs = 60_000;
const lookUpMs = 2000;

type Deps = {
  tenants: Pick<PeerClient<typeof Tenants>, 'getBranding'>;
  settings: BrandSettings;
  sender: Sender;
  log: Log;
};

/** Returns the look of the mails about a tenant; '' = about none. */
export function createBrands({ tenants, settings, sender, log }: Deps): Brands {
  const cache = createCache<Brand>({ size: 1000, lifetimeMs: cachedMs });
  const image = readBrandImage(settings.brandLogo);
  const own: Brand = {
    name: '',
    color: settings.brandColor,
    ...(image && { logo: { ...image, url: `${sender.publicUrl}/brand/logo` } }),
  };

  async function load(tenant: string): Promise<Brand> {
    const { branding } = await tenants.getBranding({ tenant }, byService, { timeoutMs: lookUpMs });
    const name = displayName(branding?.name ?? '');
    if (!branding || !hasOwnName(name, sender.service)) return own;
    const { accentColor, logoPath, logoWidth: width, logoHeight: height } = branding;
    const logo =
      logoPath === '' ? own.logo : { url: `${sender.publicUrl}${logoPath}`, width, height };
    return {
      name,
      color: accentColor || own.color,
      ...(logo && { logo }),
    };
  }

  return {
    async of(tenant) {
      if (tenant === '') return own;
      // A mail without the tenant's looks is better than a late one.
      return cache
        .getOrLoad(tenant, () => load(tenant))
        .catch((error: unknown) => {
          log.warn('reading the branding of a tenant failed, using the platform’s', {
            tenant,
            error,
          });
          return own;
        });
    },
  };
}
