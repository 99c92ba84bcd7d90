import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * CORS for the allowed origins: their pages may call operations with a cookie or a header. Browsers
 * hide the responses from all other pages.
 */
export function createCors(allowedOrigins: readonly string[]) {
  const origins = new Set(allowedOrigins);
  return {
    /** Sets the CORS headers. Returns true if it has answered a preflight request. */
    allow({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
      if (origins.size === 0) return false;
      // A shared cache must not serve one origin's response to another.
      response.setHeader('vary', 'Origin');
      if (headers.origin === undefined || !origins.has(headers.origin)) return false;
      response.setHeader('access-control-allow-origin', headers.origin);
      response.setHeader('access-control-allow-credentials', 'true');
      response.setHeader(
        'access-control-expose-headers',
        'Bailiwick-Position, Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      );
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined)
        return false;
      response.writeHead(204, {
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers':
          'Authorization, Bailiwick-Position, Content-Type, Idempotency-Key',
        'access-control-max-age': '600',
      });
      response.end();
      return true;
    },
  };
}
