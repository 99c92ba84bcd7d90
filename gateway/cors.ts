import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Lets the pages of other origins that an operator has listed call the operations (CORS): just as they are called from
 * here, with a cookie or a header. A browser shows nobody else's page an answer.
 */
export function createCors(allowedOrigins: readonly string[]) {
  const origins = new Set(allowedOrigins);
  return {
    /** Says whether the page may read the answer. Where the browser only asks whether it may call, it is answered, and that is all: true. */
    allow({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
      if (origins.size === 0) return false;
      // Nothing that is kept of an answer for one origin is given to another.
      response.setHeader('vary', 'Origin');
      if (headers.origin === undefined || !origins.has(headers.origin)) return false;
      response.setHeader('access-control-allow-origin', headers.origin);
      response.setHeader('access-control-allow-credentials', 'true');
      response.setHeader(
        'access-control-expose-headers',
        'Idempotency-Replayed, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      );
      if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined)
        return false;
      response.writeHead(204, {
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
        'access-control-max-age': '600',
      });
      response.end();
      return true;
    },
  };
}
