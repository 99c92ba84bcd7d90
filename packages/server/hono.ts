import { createGuard, type GuardOptions, optionsFor, type RequireOptions } from './guard.ts';
import type { Verifier } from './verifier.ts';

/** The part of Hono's context that a guard uses. */
type Context = { req: { raw: Request; header(name: string): string | undefined } };

/**
 * Creates `requirePermission` for Hono.
 * @example app.get('/reports', requirePermission('app.reports.read'), listReports)
 */
export function honoGuard(verify: Verifier, options?: GuardOptions) {
  const guard = createGuard(verify, options);
  return <OwnContext extends Context = Context>(
    permission: string,
    required: RequireOptions<OwnContext> = {},
  ) =>
    async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
      const { req } = context;
      const { method, url } = req.raw;
      const target = { method, url, proof: req.header('dpop') };
      const refused = await guard(
        req.raw,
        req.header('authorization'),
        permission,
        optionsFor(required, context as OwnContext),
        target,
      );
      if (refused)
        return Response.json(refused.body, { status: refused.status, headers: refused.headers });
      await next();
      return undefined;
    };
}
