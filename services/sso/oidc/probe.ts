import { Buffer } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { RequestFailed } from '@bailiwick/shared/egress/failure.ts';
import {
  type Egress,
  type EgressAnswer,
  type EgressRequest,
  request,
} from '@bailiwick/shared/egress/request.ts';
import type { AuthorizationServer } from 'oauth4webapi';
import type { Finding } from '../providers/finding.ts';
import { SignInRefused } from '../sign-in/refusal.ts';
import { authorizationUrl } from './authorization.ts';
import { authenticationOf } from './client-authentication.ts';
import { namedError } from './failure.ts';
import type { Budget } from './http.ts';
import { clientOf } from './id-token.ts';
import { parseObject } from './json.ts';
import type { OidcFlow, OidcProvider } from './provider.ts';

// What a provider says to questions that it must answer with no. Nobody is signed in, and no code is used up.

type Asked = { server: AuthorizationServer; provider: OidcProvider; flow: OidcFlow };

/** By these a provider says at our redirect address that somebody would have to be there, which is what we want to hear. */
const expected: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'consent_required',
  'account_selection_required',
]);

/** Whether the authorization endpoint accepts our redirect address. With prompt=none it must answer there at once (OpenID Connect Core §3.1.2.6). */
export async function probeAuthorization(
  egress: Egress,
  budget: Budget,
  asked: Asked,
): Promise<Finding> {
  const check = 'authorization_endpoint';
  const { redirectUri } = asked.provider;
  // In the query, where it can be read without a browser.
  const url = await authorizationUrl(egress, {
    ...asked,
    provider: { ...asked.provider, responseMode: 'query' },
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
  const target = URL.parse(answer.headers.location ?? '', url.href);
  const isOurs =
    answer.status >= 300 &&
    answer.status < 400 &&
    target !== null &&
    `${target.origin}${target.pathname}` === withoutQuery(redirectUri);
  const told = target?.searchParams.get('error') ?? '';
  if (isOurs && (told === '' || expected.has(told)))
    return {
      check,
      level: 'ok',
      message: 'The authorization endpoint accepts the client and the redirect address.',
    };
  if (isOurs)
    return {
      check,
      level: 'error',
      message: `The authorization endpoint accepts the redirect address, and refuses the request${namedError(told)}.`,
    };
  if (answer.status >= 400) {
    const message = `The authorization endpoint answers with status ${answer.status}. Is the client id right, and ${redirectUri} registered with the provider?`;
    return { check, level: 'error', message };
  }
  return {
    check,
    level: 'warning',
    message: 'Whether the provider accepts the redirect address cannot be told without signing in.',
  };
}

/** Whether the token endpoint accepts our client, asked with a code that nobody was given. */
export async function probeToken(
  egress: Egress,
  budget: Budget,
  { server, provider, flow }: Asked,
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
  const wanted = {
    method: 'POST',
    url: server.token_endpoint ?? '',
    headers: Object.fromEntries(headers),
    body: Buffer.from(body.toString()),
  } as const;
  const answer = await ask(egress, budget, wanted);
  if (typeof answer === 'string')
    return { check, level: 'error', message: `The token endpoint cannot be reached: ${answer}.` };
  const told = parseObject(answer.body)?.['error'];
  if (told === 'invalid_grant')
    return {
      check,
      level: 'ok',
      message: 'The token endpoint accepts the client id and how the client authenticates.',
    };
  if (told === 'invalid_client' || answer.status === 401)
    return {
      check,
      level: 'error',
      message: `The token endpoint refuses the client${namedError('invalid_client')}.`,
    };
  return {
    check,
    level: 'warning',
    message: `Whether the token endpoint accepts the client cannot be told: it answers with status ${answer.status}${namedError(told)}.`,
  };
}

/** The answer, or in words why there is none. */
async function ask(
  egress: Egress,
  { until, answerBytes, signal }: Budget,
  wanted: Omit<EgressRequest, 'limits' | 'signal'>,
): Promise<EgressAnswer | string> {
  const limits = { totalMs: Math.max(1, until - performance.now()), answerBytes };
  return request(egress, {
    ...wanted,
    headers: { ...wanted.headers, 'user-agent': 'Bailiwick' },
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
