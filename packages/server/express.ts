import { createGuard, type GuardOptions, type Refusal, type RequireOptions } from './guard.ts';
import type { Verifier } from './verifier.ts';

/** The parts of Express' requests and responses that a guard uses. Node's own have them too. */
type ExpressRequest = { headers: { authorization?: string | undefined } };
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
  return (permission: string, required: RequireOptions = {}) =>
    async (
      request: ExpressRequest,
      response: ExpressResponse,
      next: (error?: unknown) => void,
    ): Promise<void> => {
      const { authorization } = request.headers;
      let refused: Refusal | undefined;
      try {
        refused = await guard(request, authorization, permission, required);
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
