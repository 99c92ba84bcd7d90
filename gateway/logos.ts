import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AccessLimits, Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { asService } from '@bailiwick/rpc';
import { readBrandImage } from '@bailiwick/service';
import { createClient, type Transport } from '@connectrpc/connect';
import { isCurrent } from './etag.ts';

// Serves the logos of the installation and of tenants, to pages and to mail programs.

const route = /^\/brand\/(?:(tnt_[0-7][0-9a-hjkmnp-tv-z]{25})\/)?(logo|icon)$/;

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

type Shown = { type: string; content: Uint8Array } | undefined;

/**
 * Returns a function that sends the image of a path. It returns false if no image has this path. A
 * tenant without a logo and an unknown tenant get the same answer.
 */
export function createLogos(
  access: Transport,
  settings: { brandLogo: string; brandFavicon: string },
) {
  const peer = asService(access, 'gateway');
  const [authority, limits] = [createClient(Authority, peer), createClient(AccessLimits, peer)];
  const logo = readBrandImage(settings.brandLogo);
  const own: Record<string, Shown> = { logo, icon: readBrandImage(settings.brandFavicon) ?? logo };

  async function find(pathname: string, ip: string): Promise<Shown> {
    const [, tenant, image = ''] = route.exec(pathname) ?? [];
    if (tenant === undefined) return own[image];
    if (image !== 'logo') return undefined;
    await limits.take({ rate: 'branding', ip });
    const found = await authority.getLogo({ tenant });
    return found.content.length === 0 ? undefined : found;
  }

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, ip }: { pathname: string; ip: string },
  ): Promise<boolean> => {
    const image = await find(pathname, ip);
    if (!image) return false;
    const { type, content } = image;
    const body = Buffer.from(content.buffer, content.byteOffset, content.length);
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    if (isCurrent(request, etag)) response.writeHead(304, { ...headers, etag }).end();
    else
      response
        .writeHead(200, { ...headers, etag, 'content-type': type, 'content-length': body.length })
        .end(request.method === 'HEAD' ? undefined : body);
    return true;
  };
}
