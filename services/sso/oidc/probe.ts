import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import {
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  RequestFailed,
  request,
} from '@bailiwick/egress';
import type { AuthorizationServer } from 'oauth4webapi';
import { SignInRefused } from '../refusal.ts';
import type { Finding } from '../results.ts';
import { authorizationUrl } from './authorization.ts';
import { authenticationOf } from './client-authentication.ts';
import type { Budget } from './http.ts';
import { clientOf } from './id-token.ts';
import { parseObject } from './json.ts';
import { namedError } from './library-errors.ts';
import type { ClientProvider, OidcFlow, OidcProvider } from './provider.ts';

// Sends requests that the provider must reject. They sign no user in and use up no code.

type ProbeTarget = { server: AuthorizationServer; provider: OidcProvider; flow: OidcFlow };

/** The finding that names the redirect address to register. */
export const redirectFinding = ({ redirectUri }: Pick<ClientProvider, 'redirectUri'>): Finding => ({
  check: 'redirect_address',
  level: 'ok',
  message: `Register ${redirectUri} with the provider as the redirect address of this client.`,
});

/** The values of a sign-in that never takes place. */
export function probeFlow(): OidcFlow {
  const random = () => randomBytes(32).toString('base64url');
  return { state: random(), nonce: random(), codeVerifier: random() };
}

/**
 * Errors that mean that a user would have to interact: the provider accepts the redirect address.
 */
const expected: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

/**
 * Whether the authorization endpoint accepts the redirect address. With prompt=none it must respond
 * there at once (OpenID Connect Core §3.1.2.6).
 */
export async function probeAuthorization(
  egress: Egress,
  budget: Budget,
  target: ProbeTarget,
): Promise<Finding> {
  const check = 'authorization_endpoint';
  const { redirectUri } = target.provider;
  // In the query, which can be read without a browser.
  const url = await authorizationUrl(egress, {
    ...target,
    provider: { ...target.provider, responseMode: 'query' },
  });
  url.searchParams.set('prompt', 'none');
  const answer = await ask(egress, budget, {
    method: 'GET',
    url: url.href,
    headers: { accept: 'text/html' },
  });
  if (typeof answer === 'string')
    return {
      check,
      level: 'error',
      message: `The authorization endpoint cannot be reached: ${answer}.`,
    };
  const location = URL.parse(answer.headers.location ?? '', url.href);
  const isOurs =
    answer.status >= 300 &&
    answer.status < 400 &&
    location !== null &&
    `${location.origin}${location.pathname}` === withoutQuery(redirectUri);
  const errorCode = location?.searchParams.get('error') ?? '';
  if (isOurs && (errorCode === '' || expected.has(errorCode)))
    return {
      check,
      level: 'ok',
      message: 'The authorization endpoint accepts the client and the redirect address.',
    };
  if (isOurs)
    return {
      check,
      level: 'error',
      message: `The authorization endpoint accepts the redirect address, and refuses the request${namedError(errorCode)}.`,
    };
  if (answer.status >= 400) {
    const message = `The authorization endpoint answers with status ${answer.status}. Is the client id right, and ${redirectUri} registered with the provider?`;
    return { check, level: 'error', message };
  }
  return {
    check,
    level: 'warning',
    message:
      'Whether the provider accepts the redirect address cannot be determined without a sign-in.',
  };
}

/** Whether the token endpoint accepts the client, tested with a random code. */
export async function probeToken(
  egress: Egress,
  budget: Budget,
  { server, provider, flow }: Omit<ProbeTarget, 'provider'> & { provider: ClientProvider },
): Promise<Finding> {
  const check = 'client';
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    redirect_uri: provider.redirectUri,
    code_verifier: flow.codeVerifier,
  });
  body.set('code', randomBytes(32).toString('base64url'));
  const headers = new Headers({
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
  });
  try {
    await (await authenticationOf(provider))(server, clientOf(provider.clientId), body, headers);
  } catch (thrown) {
    if (thrown instanceof SignInRefused) return { check, level: 'error', message: thrown.detail };
    throw thrown;
  }
  const tokenRequest = {
    method: 'POST',
    url: server.token_endpoint ?? '',
    headers: Object.fromEntries(headers),
    body: Buffer.from(body.toString()),
  } as const;
  const answer = await ask(egress, budget, tokenRequest);
  if (typeof answer === 'string')
    return { check, level: 'error', message: `The token endpoint cannot be reached: ${answer}.` };
  const errorCode = parseObject(answer.body)?.['error'];
  if (errorCode === 'invalid_grant')
    return {
      check,
      level: 'ok',
      message: 'The token endpoint accepts the client id and how the client authenticates.',
    };
  if (errorCode === 'invalid_client' || answer.status === 401)
    return {
      check,
      level: 'error',
      message: `The token endpoint refuses the client${namedError('invalid_client')}.`,
    };
  return {
    check,
    level: 'warning',
    message: `Whether the token endpoint accepts the client cannot be determined: it answers with status ${answer.status}${namedError(errorCode)}.`,
  };
}

/** The response, or the reason for its absence. */
async function ask(
  egress: Egress,
  { until, answerBytes, signal }: Budget,
  probeRequest: Omit<EgressRequest, 'limits' | 'signal'>,
): Promise<EgressAnswer | string> {
  const limits = { totalMs: Math.max(1, until - performance.now()), answerBytes };
  return request(egress, {
    ...probeRequest,
    headers: { ...probeRequest.headers, 'user-agent': 'Bailiwick' },
    limits,
    signal,
  }).catch((error: unknown) => {
    if (error instanceof RequestFailed) return error.message;
    throw error;
  });
}

function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
