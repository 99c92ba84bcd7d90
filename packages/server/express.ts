import {
  createGuard,
  type GuardOptions,
  optionsFor,
  type Refusal,
  type RequireOptions,
} from './guard.ts';
import type { Verifier } from './verifier.ts';

/** The parts of Express' requests and responses that a guard uses. Node's own have them too. */
type ExpressRequest = {
  headers: { authorization?: string | undefined; dpop?: string | string[] | undefined };
  method?: string | undefined;
  url?: string | undefined;
  /** The path before Express' routers shorten it. */
  originalUrl?: string | undefined;
};
type ExpressResponse = {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
};

/**
 * Creates `requirePermission` for Express. Other errors go to Express' error handler.
 * @example app.get('/reports', requirePermission('app.reports.read'), listReports)
 */
export function expressGuard(verify: Verifier, options?: GuardOptions) {
  const guard = createGuard(verify, options);
  return <Request extends ExpressRequest = ExpressRequest>(
    permission: string,
    required: RequireOptions<Request> = {},
  ) =>
    async (
      request: ExpressRequest,
      response: ExpressResponse,
      next: (error?: unknown) => void,
    ): Promise<void> => {
      const { headers, method = '', url = '', originalUrl = url } = request;
      const target = { method, url: originalUrl, proof: headers.dpop?.toString() };
      let refused: Refusal | undefined;
      try {
        const options = optionsFor(required, request as Request);
        refused = await guard(request, headers.authorization, permission, options, target);
      } catch (error) {
        return next(error);
      }
      if (!refused) return next();
      response.statusCode = refused.status;
      response.setHeader('content-type', 'application/json');
      for (const [name, value] of Object.entries(refused.headers)) response.setHeader(name, value);
      response.end(JSON.stringify(refused.body));
    };
}
