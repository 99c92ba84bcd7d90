import type { Checked } from './checked.ts';
import { InvalidProofError, InvalidTokenError } from './errors.ts';
import { allows } from './permissions.ts';
import { type ProvenRequest, proofAlgorithms } from './proofs.ts';
import type { AccessToken, Verifier } from './verifier.ts';

// Decides whether a request may go on. The adapters of the frameworks only translate.

export type GuardOptions = {
  /** Asks Bailiwick where the token does not decide. Without it such requests are refused. */
  checked?: Checked | undefined;
};

export type RequireOptions = {
  /**
   * Asks Bailiwick even if the token has the permission, for actions that need a current right.
   * Without effect on the token of a service.
   */
  current?: boolean | undefined;
};

/** A refusal, as an HTTP response (RFC 6750, section 3; RFC 9449, section 7.1). */
export type Refusal = {
  status: 401 | 403;
  headers: Record<string, string>;
  body: { error: string; message: string };
};

export type Guard = ReturnType<typeof createGuard>;

/** The claims of the requests that a guard has let through. */
const callers = new WeakMap<object, AccessToken>();

/**
 * The claims of the request that a guard has let through: `c.req.raw` of Hono, the request of
 * Express and Fastify. @throws if no guard has run for the request
 */
export function callerOf(request: object): AccessToken {
  const caller = callers.get(request);
  if (!caller) throw new Error('requirePermission has not run for this request');
  return caller;
}

export function createGuard(verify: Verifier, { checked }: GuardOptions = {}) {
  async function isAllowed(
    token: AccessToken,
    permission: string,
    { current = false }: RequireOptions,
  ): Promise<boolean> {
    const { sub, client_id: clientId, tenant, permissions } = token;
    // Bailiwick answers for the subject, who may have more rights than the token.
    if (tenant === undefined || !allows(token, permission)) return false;
    // A service has no grants that Bailiwick could be asked about: its token decides.
    if (sub === clientId) return true;
    if (permissions && !current) return true;
    return checked ? checked({ tenant, subject: sub, permission }) : false;
  }

  /** Undefined if the request may go on. `target` is the request that a proof is bound to. */
  return async (
    request: object,
    authorization: string | undefined,
    permission: string,
    options: RequireOptions,
    target?: ProvenRequest,
  ): Promise<Refusal | undefined> => {
    const [, scheme = '', token] = /^(Bearer|DPoP) ([^\s]+)$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) return refusal(401, '', 'an access token is required');
    const isBound = scheme.toLowerCase() === 'dpop';
    const challenge = isBound ? `DPoP algs="${proofAlgorithms}", ` : 'Bearer ';
    if (isBound && !target)
      throw new TypeError(
        'the adapter does not pass the method and URL of the request, which a DPoP proof covers',
      );
    const caller = await verify(token, isBound ? target : undefined).catch((error: unknown) => {
      if (error instanceof InvalidTokenError) return error;
      throw error;
    });
    if (caller instanceof InvalidProofError)
      return refusal(401, 'invalid_dpop_proof', caller.message, challenge);
    if (caller instanceof InvalidTokenError)
      return refusal(
        401,
        'invalid_token',
        `the access token is not valid: ${caller.message}`,
        challenge,
      );
    if (!(await isAllowed(caller, permission, options)))
      return refusal(403, 'insufficient_scope', `${permission} is required`, challenge);
    callers.set(request, caller);
    return undefined;
  };
}

/** Without a token the challenge names no error (RFC 6750, section 3.1). */
function refusal(
  status: 401 | 403,
  error: string,
  message: string,
  challenge = 'Bearer ',
): Refusal {
  return {
    status,
    headers: { 'www-authenticate': error === '' ? 'Bearer' : `${challenge}error="${error}"` },
    body: { error: error === '' ? 'unauthorized' : error, message },
  };
}
