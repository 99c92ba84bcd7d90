import { createGuard, type GuardOptions, optionsFor, type RequireOptions } from './guard.ts';
import type { Verifier } from './verifier.ts';

/** The parts of Fastify's requests and replies that a guard uses. */
type FastifyRequest = {
  headers: { authorization?: string | undefined; dpop?: string | string[] | undefined };
  method: string;
  /** The path before Fastify's rewriting. */
  originalUrl: string;
};
type FastifyReply = {
  code(status: number): FastifyReply;
  headers(values: Record<string, string>): FastifyReply;
  send(body: unknown): FastifyReply;
};

/**
 * Creates `requirePermission` for Fastify, as a hook before the handler.
 * @example app.get('/reports', { preHandler: requirePermission('app.reports.read') }, listReports)
 */
export function fastifyGuard(verify: Verifier, options?: GuardOptions) {
  const guard = createGuard(verify, options);
  return <Request extends FastifyRequest = FastifyRequest>(
    permission: string,
    required: RequireOptions<Request> = {},
  ) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { headers, method, originalUrl: url } = request;
      const target = { method, url, proof: headers.dpop?.toString() };
      const options = optionsFor(required, request as Request);
      const refused = await guard(request, headers.authorization, permission, options, target);
      if (!refused) return undefined;
      return reply.code(refused.status).headers(refused.headers).send(refused.body);
    };
}
