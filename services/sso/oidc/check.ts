import { type Egress, urlProblem } from '@bailiwick/egress';
import type { AuthorizationServer } from 'oauth4webapi';
import { SignInRefused } from '../refusal.ts';
import type { Finding } from '../results.ts';
import { authorizationEndpoint, scopesOf } from './authorization.ts';
import { publicJwk } from './client-authentication.ts';
import { fetchKeys, fetchMetadata } from './discovery.ts';
import type { Budget } from './http.ts';
import { isUsableKey } from './keys.ts';
import { probeAuthorization, probeFlow, probeToken, redirectFinding } from './probe.ts';
import type { OidcProvider } from './provider.ts';

const ok = (check: string, message: string): Finding => ({ check, level: 'ok', message });
const warning = (check: string, message: string): Finding => ({ check, level: 'warning', message });
const error = (check: string, message: string): Finding => ({ check, level: 'error', message });

/** All findings that need no user to sign in. Changes nothing at the provider. */
export async function checkProvider(
  egress: Egress,
  budget: Budget,
  provider: OidcProvider,
): Promise<Finding[]> {
  const redirect = redirectFinding(provider);
  const discovered = await attempt('discovery', () => fetchMetadata(egress, budget, provider));
  if ('finding' in discovered) return [discovered.finding, redirect];
  const server = discovered.value;
  const endpoints = checkEndpoints(egress, server);
  return [
    ok(
      'discovery',
      'The discovery document was fetched, and names the issuer as it is configured.',
    ),
    ...endpoints,
    await checkKeys(egress, budget, server),
    ...checkAnnounced(server, provider),
    redirect,
    ...(endpoints.some(({ level }) => level === 'error')
      ? []
      : await probe(egress, budget, server, provider)),
  ];
}

type Attempted<T> = { value: T } | { finding: Finding };

/** Turns a refusal into a finding. Internal errors are rethrown. */
async function attempt<T>(check: string, act: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { value: await act() };
  } catch (thrown) {
    if (thrown instanceof SignInRefused) return { finding: error(check, thrown.detail) };
    throw thrown;
  }
}

function checkEndpoints({ egress }: Egress, server: AuthorizationServer): Finding[] {
  const { authorization_endpoint, token_endpoint, userinfo_endpoint, jwks_uri } = server;
  const named = {
    authorization_endpoint,
    token_endpoint,
    jwks_uri,
    ...(userinfo_endpoint === undefined ? {} : { userinfo_endpoint }),
  };
  const wrong = Object.entries(named).flatMap(([name, url]) => {
    const problem = url === undefined ? 'is missing' : urlProblem(url, egress);
    return problem === undefined
      ? []
      : [error('endpoints', `In the discovery document ${name} ${problem}.`)];
  });
  return wrong.length > 0
    ? wrong
    : [ok('endpoints', 'The addresses in the discovery document may be called.')];
}

async function checkKeys(
  egress: Egress,
  budget: Budget,
  server: AuthorizationServer,
): Promise<Finding> {
  const fetched = await attempt('keys', () => fetchKeys(egress, budget, server));
  if ('finding' in fetched) return fetched.finding;
  const algorithms = server.id_token_signing_alg_values_supported ?? [];
  if (algorithms.length === 0)
    return error(
      'keys',
      'The provider announces no algorithm for ID tokens that is allowed: RS, PS or ES with 256, 384 or 512, or EdDSA.',
    );
  const usable = fetched.value.filter((key) => isUsableKey(key, algorithms));
  if (usable.length === 0)
    return error('keys', 'None of the keys that the provider publishes can verify an ID token.');
  return ok(
    'keys',
    `${usable.length} of the keys that the provider publishes can verify ID tokens (${algorithms.join(', ')}).`,
  );
}

/**
 * Compares the metadata with the requests that sign-ins will make. Missing fields have the default
 * of the specification.
 */
function checkAnnounced(server: AuthorizationServer, provider: OidcProvider): Finding[] {
  const {
    response_modes_supported: modes = ['query', 'fragment'],
    code_challenge_methods_supported: pkce,
    scopes_supported: scopes,
  } = server;
  const unknown =
    scopes === undefined ? [] : scopesOf(provider).filter((scope) => !scopes.includes(scope));
  return [
    server.response_types_supported?.includes('code') === false
      ? error('response_type', 'The provider does not announce the code flow (response type code).')
      : ok('response_type', 'The provider offers the code flow.'),
    modes.includes(provider.responseMode)
      ? ok('response_mode', `The provider offers the response mode ${provider.responseMode}.`)
      : error(
          'response_mode',
          `The provider does not announce the response mode ${provider.responseMode}, but: ${modes.join(', ')}.`,
        ),
    checkPkce(pkce),
    checkAuthentication(server, provider),
    unknown.length === 0
      ? ok('scopes', 'The provider knows the scopes.')
      : warning('scopes', `The provider does not announce these scopes: ${unknown.join(', ')}.`),
    server.claims_supported?.includes('email_verified')
      ? ok('email_verified', 'The provider says whether it has verified an address.')
      : warning(
          'email_verified',
          'The provider does not announce the claim email_verified. Only people whose address it asserts as verified can sign in.',
        ),
  ];
}

function checkPkce(methods: string[] | undefined): Finding {
  if (methods === undefined)
    return warning(
      'pkce',
      'The provider does not announce PKCE. It is sent anyway; a provider that does not know it ignores it.',
    );
  if (methods.includes('S256')) return ok('pkce', 'The provider offers PKCE with S256.');
  return error(
    'pkce',
    'The provider announces PKCE, but not with S256, the only method that is used.',
  );
}

function checkAuthentication(
  server: AuthorizationServer,
  { tokenAuthMethod, clientSecret, privateKey, secretSigner }: OidcProvider,
): Finding {
  const {
    token_endpoint_auth_methods_supported: methods = ['client_secret_basic'],
    token_endpoint_auth_signing_alg_values_supported: algorithms,
  } = server;
  const say = 'client_authentication';
  if (!methods.includes(tokenAuthMethod))
    return error(
      say,
      `The provider does not announce ${tokenAuthMethod} for clients, but: ${methods.join(', ')}.`,
    );
  if (tokenAuthMethod.startsWith('client_secret') && clientSecret === '' && !secretSigner)
    return error(say, 'There is no client secret.');
  if (tokenAuthMethod === 'private_key_jwt' && !privateKey)
    return error(say, 'There is no key to authenticate to the provider with.');
  const ours =
    tokenAuthMethod === 'client_secret_jwt'
      ? 'HS256'
      : privateKey && tokenAuthMethod === 'private_key_jwt'
        ? publicJwk(privateKey).alg
        : undefined;
  if (ours !== undefined && algorithms?.includes(ours) === false)
    return error(
      say,
      `The client assertion is made with ${ours}, and the provider announces: ${algorithms.join(', ')}.`,
    );
  return ok(say, `The provider lets clients authenticate by ${tokenAuthMethod}.`);
}

async function probe(
  egress: Egress,
  budget: Budget,
  server: AuthorizationServer,
  provider: OidcProvider,
): Promise<Finding[]> {
  const target = {
    server: { ...server, authorization_endpoint: authorizationEndpoint(egress, server).href },
    provider,
    flow: probeFlow(),
  };
  return Promise.all([
    probeAuthorization(egress, budget, target),
    probeToken(egress, budget, target),
  ]);
}
