import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AccessLimits, Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { asService } from '@bailiwick/wire';
import { createClient, type Transport } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import { etagOf, isCurrent } from '../http/etag.ts';
import type { OwnImages } from './page-brands.ts';

// Serves the logos of the installation, of tenants and of apps, to pages and to mail programs.

const route = /^\/brand\/(?:((?:tnt|app)_[0-7][0-9a-hjkmnp-tv-z]{25})\/)?(logo|icon)$/;

/** Whether a path is one of an image. The installation has an icon too. */
export const isLogo = (pathname: string): boolean => route.test(pathname);

// Tenants choose the bytes: no browser may take them for a page, whatever they contain.
const headers = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  // The address changes with the logo. A suspended tenant's logo disappears within this time.
  'cache-control': 'public, max-age=300',
};

/** The logos in memory, of at most 64 KiB each. */
const maxCached = 100;

type Peers = { access: Transport; sso: Transport };
type Image = { type: string; body: Buffer; etag: string };

function imageOf({ type, content }: { type: string; content: Uint8Array }): Image {
  const body = Buffer.from(content.buffer, content.byteOffset, content.length);
  return { type, body, etag: etagOf(body) };
}

/**
 * Returns a function that sends the image of a path. It returns false if no image has this path. An
 * owner without a logo and an unknown one get the same answer.
 */
export function createLogos({ access, sso }: Peers, images: OwnImages) {
  const peer = asService(access, 'gateway');
  const [authority, limits] = [createClient(Authority, peer), createClient(AccessLimits, peer)];
  const issuer = createClient(Issuer, asService(sso, 'gateway'));
  const own: Record<string, Image | undefined> = {
    logo: images.logo && imageOf(images.logo),
    icon: images.icon && imageOf(images.icon),
  };

  const cache = new LRUCache<string, { version: string; image: Image }>({ max: maxCached });

  const load = (owner: string, knownVersion: string) =>
    owner.startsWith('app_')
      ? issuer.getLogo({ app: owner, knownVersion })
      : authority.getLogo({ tenant: owner, knownVersion });

  /** Asks each time, since the tenant or app may have changed, but for the bytes only once. */
  async function findLogo(owner: string): Promise<Image | undefined> {
    const entry = cache.get(owner);
    const logo = await load(owner, entry?.version ?? '');
    const { version } = logo;
    if (entry && version === entry.version) return entry.image;
    if (logo.content.length === 0) return undefined;
    const image = imageOf(logo);
    if (version !== '') cache.set(owner, { version, image });
    return image;
  }

  async function find(pathname: string, ip: string): Promise<Image | undefined> {
    const [, owner, image = ''] = route.exec(pathname) ?? [];
    if (owner === undefined) return own[image];
    if (image !== 'logo') return undefined;
    await limits.take({ rate: 'branding', ip });
    return findLogo(owner);
  }

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, ip }: { pathname: string; ip: string },
  ): Promise<boolean> => {
    const image = await find(pathname, ip);
    if (!image) return false;
    const { type, body, etag } = image;
    if (isCurrent(request, etag)) response.writeHead(304, { ...headers, etag }).end();
    else
      response
        .writeHead(200, { ...headers, etag, 'content-type': type, 'content-length': body.length })
        .end(request.method === 'HEAD' ? undefined : body);
    return true;
  };
}
