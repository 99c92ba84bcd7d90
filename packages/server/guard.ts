import type { Checked } from './checked.ts';
import { InvalidProofError, InvalidTokenError, UnavailableError } from './errors.ts';
import type { Follower } from './follower/follower.ts';
import { allows, inScope } from './permissions.ts';
import { type ProvenRequest, proofAlgorithms } from './proofs.ts';
import type { VerifiedToken, Verifier } from './verifier.ts';

// Decides whether a request may go on. The adapters of the frameworks only translate.

export type GuardOptions = {
  /** Asks Bailiwick where the token does not decide. Without it such requests are refused. */
  checked?: Checked | undefined;
  /** Decides each request by the rights as they are now, from memory, in place of `checked`. */
  follower?: Pick<Follower, 'rights'> | undefined;
};

export type RequireOptions<Request = unknown> = {
  /**
   * Asks Bailiwick even if the token has the permission, for actions that need a current right.
   * Without effect on the token of a service, and with a follower, which always decides so.
   */
  current?: boolean | undefined;
  /**
   * The resource that the request is about, such as `report:7`. The permission is then required on
   * it, which takes a follower or `checked`: a token lists only what holds in the whole tenant.
   */
  resource?: ((request: Request) => string) | undefined;
};

/** The options of a request, for `Guard`. The resource is only read from one with a valid token. */
export const optionsFor = <Request>(
  { current, resource }: RequireOptions<Request>,
  request: Request,
) => ({ current, resource: resource && (() => resource(request)) });

/** The permission that a request requires. */
type Requirement = { permission: string; current: boolean; resource: string };

/** A refusal, as an HTTP response (RFC 6750, section 3; RFC 9449, section 7.1). */
export type Refusal = {
  status: 401 | 403 | 503;
  headers: Record<string, string>;
  body: { error: string; message: string };
};

export type Guard = ReturnType<typeof createGuard>;

/** The claims of the requests that a guard has let through. */
const callers = new WeakMap<object, VerifiedToken>();

/**
 * The claims of the request that a guard has let through: `c.req.raw` of Hono, the request of
 * Express and Fastify. @throws if no guard has run for the request
 */
export function callerOf(request: object): VerifiedToken {
  const caller = callers.get(request);
  if (!caller) throw new Error('requirePermission has not run for this request');
  return caller;
}

export function createGuard(verify: Verifier, { checked, follower }: GuardOptions = {}) {
  async function isAllowed(token: VerifiedToken, requirement: Requirement): Promise<boolean> {
    const { sub, client_id: clientId, tenant, permissions } = token;
    const { permission, current, resource } = requirement;
    if (tenant === undefined) return false;
    if (follower) return isAllowedNow(follower, token, requirement);
    // Bailiwick answers for the subject, who may have more rights than the token.
    const isInToken = allows(token, permission);
    if (!isInToken && (resource === '' || !inScope(token, permission))) return false;
    // A service has no grants that Bailiwick could be asked about: its token decides.
    if (sub === clientId) return isInToken;
    if (permissions && isInToken && !current) return true;
    if (!checked) return false;
    return checked({ tenant, subject: sub, permission, ...(resource !== '' && { resource }) });
  }

  /** Undefined if the request may go on. `target` is the request that a proof is bound to. */
  return async (
    request: object,
    authorization: string | undefined,
    permission: string,
    options: { current?: boolean | undefined; resource?: (() => string) | undefined },
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
    const { current = false, resource } = options;
    try {
      const caller = await verify(token, isBound ? target : undefined);
      const requirement = { permission, current, resource: resource?.() ?? '' };
      if (!(await isAllowed(caller, requirement)))
        return refusal(403, 'insufficient_scope', `${permission} is required`, challenge);
      callers.set(request, caller);
      return undefined;
    } catch (error) {
      return refusalOf(error, challenge);
    }
  };
}

async function isAllowedNow(
  follower: Pick<Follower, 'rights'>,
  token: VerifiedToken,
  { permission, resource }: Requirement,
): Promise<boolean> {
  const rights = await follower.rights(token);
  await rights.refresh();
  // With `onUnavailable: 'deny'` an unknown answer would be a refusal.
  if (!rights.isCurrent()) throw new UnavailableError('the rights are not known now');
  return rights.can(permission, resource);
}

/** The refusal for an error of a token. @throws all other errors */
function refusalOf(error: unknown, challenge: string): Refusal {
  if (error instanceof UnavailableError)
    return {
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: 'temporarily_unavailable', message: 'try again in a second' },
    };
  if (error instanceof InvalidProofError)
    return refusal(401, 'invalid_dpop_proof', error.message, challenge);
  if (!(error instanceof InvalidTokenError)) throw error;
  const message = `the access token is not valid: ${error.message}`;
  return refusal(401, 'invalid_token', message, challenge);
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
