import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '@bailiwick/errors';

/** An unknown route or a wrong method: with 429 the only statuses beyond the documented ones. */
export class RoutingError extends ServiceError {
  readonly status: number;
  constructor(status: number, message: string, allow = '') {
    if (status === 404) super('not_found', 'NO_ROUTE', message);
    else super('invalid_argument', 'WRONG_METHOD', message, 0, { Allow: allow });
    this.status = status;
  }
}

/** @throws RoutingError for a method that a route does not have */
export function assertMethod(
  request: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): void {
  if (allowed.includes(request.method ?? '')) return;
  response.setHeader('allow', allowed.join(', '));
  const methods = allowed.join(' or ');
  throw new RoutingError(405, `the method must be ${methods}`, methods);
}
