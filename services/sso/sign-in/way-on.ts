import { type Origin, platformPlace } from '@bailiwick/contract';
import type { FindWayOnRequest } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import type { SignInDeps } from './deps.ts';
import { findFlowOfBrowser, wasRestarted } from './flow.ts';
import type { PastFlow } from './queries.ts';

// Where a browser goes on after a sign-in that failed.

/** The errors that a new sign-in cures (OIDC Core 3.1.2.6, RFC 6749 4.1.2.1, Keycloak). */
const retryableErrors = new Set([
  'login_required',
  'temporarily_unavailable',
  'authentication_expired',
]);

/** Whether a failed sign-in begins again by itself. It does so once. */
function isRestarted({ reason, parameters }: FindWayOnRequest, flow: PastFlow): boolean {
  if (flow.restarted) return false;
  // The provider answered after the ten minutes of the sign-in.
  if (reason === 'FLOW_UNKNOWN' && flow.unused) return true;
  return (
    retryableErrors.has(parameters['error'] ?? '') &&
    (reason === 'PROVIDER_REFUSED' || (reason === 'FLOW_UNKNOWN' && flow.unused))
  );
}

/**
 * Whether a sign-in begins here in place of one that the provider began, which it may not. It does so
 * once: a provider that ignores our request would send the browser round and round.
 */
const isStartedByProvider = async (
  deps: SignInDeps,
  { reason, tenant, provider, bindings }: FindWayOnRequest,
): Promise<boolean> =>
  reason === 'STARTED_BY_PROVIDER' && !(await wasRestarted(deps, { tenant, provider }, bindings));

/** Without an answer of identity the user decides. */
async function isSignedIn(
  { credentials }: SignInDeps,
  { sessionHash: tokenHash, ip }: FindWayOnRequest,
  call: Origin,
): Promise<boolean> {
  if (tokenHash.length === 0) return false;
  const principal = await credentials
    .resolve({ tokenHash, ip, kind: 'session' }, call)
    .catch(() => undefined);
  return principal?.type === 'user';
}

/**
 * Begins a sign-in again that another try cures, and sends the user of a finished sign-in on. Only
 * the browser that started the sign-in learns the address to return to.
 */
export async function findWayOn(deps: SignInDeps, request: FindWayOnRequest, call: Origin) {
  const { tenant, provider, parameters, bindings, reason } = request;
  const state = parameters['state'] ?? parameters['RelayState'] ?? '';
  const flow = await findFlowOfBrowser(deps, { tenant, provider, state, bindings });
  const returnTo = shortened(flow?.returnTo ?? '', deps);
  if (flow ? isRestarted(request, flow) : await isStartedByProvider(deps, request)) {
    const place = `${tenant === '' ? platformPlace : tenant}/${provider}`;
    const query = new URLSearchParams({ ...(flow && { return_to: returnTo }), again: '1' });
    return { redirect: `${deps.publicUrl}/auth/${place}/login?${query.toString()}`, returnTo };
  }
  if (reason === 'FLOW_UNKNOWN' && (await isSignedIn(deps, request, call)))
    return { redirect: signedInAt(deps, flow), returnTo };
  return { redirect: '', returnTo };
}

/** An address below the public URL as a path, which the sign-in page follows without a code. */
const shortened = (returnTo: string, { publicUrl }: SignInDeps): string =>
  returnTo.startsWith(`${publicUrl}/`) ? returnTo.slice(publicUrl.length) : returnTo;

/** Where a signed-in user goes. The sign-in page gives an application its code. */
function signedInAt({ publicUrl }: SignInDeps, flow: PastFlow | undefined): string {
  if (flow?.origin === '') return flow.returnTo;
  const query = new URLSearchParams({
    signed_in: '1',
    ...(flow && { return_to: flow.returnTo }),
  });
  return `${publicUrl}/login?${query.toString()}`;
}
