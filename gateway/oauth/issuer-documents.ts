import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createCache } from '@bailiwick/broker';
import { etagOf, isCurrent } from '../http/etag.ts';

// The two documents of the OpenID provider that clients ask for again and again, from memory. A
// signing key is published minutes before its first use, so neither time below delays a sign-in.

const heldMs = 5000;
const clientSeconds = 60;

const metadata = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];
const documents = new Set([...metadata, '/oauth/jwks']);

export const isMetadata = (pathname: string): boolean => metadata.includes(pathname);

/** Whether a request asks for one of the documents. */
export const isDocumentRequest = ({ method }: IncomingMessage, pathname: string): boolean =>
  (method === 'GET' || method === 'HEAD') && documents.has(pathname);

type IssuerDocument = { body: Uint8Array; type: string };

/** @param load - Asks the provider for the document at a path. */
export function createIssuerDocuments(load: (pathname: string) => Promise<IssuerDocument>) {
  const cache = createCache<{ body: Buffer; type: string; etag: string }>({
    size: documents.size,
    lifetimeMs: heldMs,
  });

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    pathname: string,
  ): Promise<void> => {
    const { body, type, etag } = await cache.getOrLoad(pathname, async () => {
      const document = await load(pathname);
      const bytes = Buffer.from(document.body);
      return { body: bytes, type: document.type, etag: etagOf(bytes) };
    });
    const headers = {
      etag,
      'cache-control': `public, max-age=${clientSeconds}`,
      // Web applications of any origin read them, without cookies.
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    };
    if (isCurrent(request, etag)) return void response.writeHead(304, headers).end();
    response
      .writeHead(200, {
        ...headers,
        'content-type': type,
        'content-length': body.length,
      })
      .end(request.method === 'HEAD' ? undefined : body);
  };
}
