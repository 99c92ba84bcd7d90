import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AccessLimits, Authority } from '@bailiwick/proto/gen/bailiwick/access/v1/internal_pb.ts';
import { asService } from '@bailiwick/rpc';
import { createClient, type Transport } from '@connectrpc/connect';
import { isCurrent } from './etag.ts';

// Serves the logos that tenants have uploaded, to pages and to mail programs.

const route = /^\/brand\/(tnt_[0-7][0-9a-hjkmnp-tv-z]{25})\/logo$/;

/** The tenant whose logo is at a path, or undefined. */
export const logoTenant = (pathname: string): string | undefined => route.exec(pathname)?.[1];

// Tenants choose the bytes: no browser may take them for a page, whatever they contain.
const headers = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'cross-origin',
  // The address changes with the logo. A suspended tenant's logo disappears within this time.
  'cache-control': 'public, max-age=300',
};

/**
 * Returns a sender of logos. It sends nothing and returns false for a tenant without a logo, which
 * looks like one that does not exist.
 */
export function createLogos(access: Transport) {
  const peer = asService(access, 'gateway');
  const [authority, limits] = [createClient(Authority, peer), createClient(AccessLimits, peer)];

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    { tenant, ip }: { tenant: string; ip: string },
  ): Promise<boolean> => {
    await limits.take({ rate: 'branding', ip });
    const { type, content } = await authority.getLogo({ tenant });
    if (content.length === 0) return false;
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
