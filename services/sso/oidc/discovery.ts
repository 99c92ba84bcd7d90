import { createCache } from '@bailiwick/shared/cache.ts';
import type { Egress } from '@bailiwick/shared/egress/request.ts';
import { urlProblem } from '@bailiwick/shared/egress/rules.ts';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
} from 'oauth4webapi';
import { invalidAnswer } from './failure.ts';
import { type Budget, createFetch, type Limits, startBudget } from './http.ts';
import { type PublicKey, readKeys } from './keys.ts';

/** What a provider publishes of itself, as far as a sign-in needs it. */
export type Published = { server: AuthorizationServer; keys: readonly PublicKey[] };

/** Asymmetric ones only (docs/security.md, 42). An HMAC could be made with the public key, and none proves nothing. */
const algorithms: ReadonlySet<unknown> = new Set(
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '),
);

const remembered = { size: 500, lifetimeMs: 600_000 };
/**
 * What is kept is small: tenants choose whose it is, and could fill the memory with it. The text alone bounds nothing, since a
 * list of 40,000 empty objects takes twenty times as much when it is parsed: only what takes effect is kept of it.
 */
const publishedBytes = 128 * 1024;
const longestAddress = 2048;
/** An unknown key is looked for at most this often, whatever the tokens say. */
const againMs = 60_000;

/** Metadata and keys by issuer, fetched where they are not known and kept for a while. */
export function createDiscovery(egress: Egress, limits: Limits) {
  const held = createCache<Published>(remembered);
  const heldAgain = createCache<Published>({ size: remembered.size, lifetimeMs: againMs });
  // Whoever waits for it may go; others wait for the same.
  const load = (issuer: string) =>
    fetchPublished(egress, startBudget(limits, new AbortController().signal), issuer);

  return {
    find: (issuer: string): Promise<Published> => held.get(issuer, () => load(issuer)),
    /** Because a key is not among those that are known: a provider may have made another one. */
    async findAgain(issuer: string): Promise<Published> {
      const fresh = await heldAgain.get(issuer, () => load(issuer));
      held.forget(issuer);
      return held.get(issuer, () => Promise.resolve(fresh));
    },
    forget(issuer: string): void {
      held.forget(issuer);
      heldAgain.forget(issuer);
    },
  };
}

/** The metadata of an issuer and its keys, as they are now. Throws SignInRefused. */
async function fetchPublished(egress: Egress, budget: Budget, issuer: string): Promise<Published> {
  const server = readMetadata(issuer, await fetchDocument(egress, budget, issuer));
  return { server, keys: await fetchKeys(egress, budget, server) };
}

/** What a provider says of itself: the fields that take effect, and those that only the test of it looks at. Throws SignInRefused. */
export async function fetchMetadata(
  egress: Egress,
  budget: Budget,
  issuer: string,
): Promise<AuthorizationServer> {
  const found = await fetchDocument(egress, budget, issuer);
  const lists = announcements.flatMap((name) =>
    Array.isArray(found[name])
      ? [[name, found[name].filter((item) => typeof item === 'string')]]
      : [],
  );
  return { ...readMetadata(issuer, found), ...Object.fromEntries(lists) };
}

async function fetchDocument(
  egress: Egress,
  budget: Budget,
  issuer: string,
): Promise<Record<string, unknown>> {
  const url = URL.parse(issuer);
  const problem =
    url && url.search === '' && url.hash === ''
      ? urlProblem(issuer, egress.egress)
      : 'must be a URL without ? and #';
  if (!url || problem !== undefined) throw invalidAnswer(`The issuer ${problem}.`);
  // Whether http will do has just been judged.
  const options = {
    [customFetch]: createFetch(
      egress,
      { ...budget, answerBytes: publishedBytes },
      'The discovery document',
    ),
    [allowInsecureRequests]: true,
  };
  return (await (await discoveryRequest(url, options)).json()) as Record<string, unknown>;
}

// Fields by name: no other one takes effect, now or with a later version of the library.
function readMetadata(issuer: string, found: Record<string, unknown>): AuthorizationServer {
  // The library compares URLs, in which a slash at the end may be left out. Tokens are compared letter by letter.
  if (found['issuer'] !== issuer)
    throw invalidAnswer(
      'The discovery document is of another issuer: it must be the same to the letter, a slash at its end included.',
    );
  const addresses = endpoints.flatMap((name) => {
    const address = found[name];
    return typeof address === 'string' && address.length <= longestAddress ? [[name, address]] : [];
  });
  const signing = found['id_token_signing_alg_values_supported'] ?? ['RS256'];
  return {
    issuer,
    ...Object.fromEntries(addresses),
    authorization_response_iss_parameter_supported: Boolean(
      found['authorization_response_iss_parameter_supported'],
    ),
    id_token_signing_alg_values_supported: Array.isArray(signing)
      ? [...new Set(signing.filter((name) => algorithms.has(name)))]
      : [],
  };
}

const endpoints = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
] as const;
const announcements = [
  'response_types_supported',
  'response_modes_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'token_endpoint_auth_signing_alg_values_supported',
  'scopes_supported',
  'claims_supported',
] as const;

/** The keys that a provider publishes for signatures. Throws SignInRefused. */
export async function fetchKeys(
  egress: Egress,
  budget: Budget,
  { jwks_uri: url }: AuthorizationServer,
): Promise<PublicKey[]> {
  if (url === undefined)
    throw invalidAnswer('The discovery document names no address of the keys (jwks_uri).');
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const response = await createFetch(
    egress,
    { ...budget, answerBytes: publishedBytes },
    'The list of keys',
  )(url, { method: 'GET', headers });
  const { keys } = (await response.json()) as { keys?: unknown };
  if (!Array.isArray(keys)) throw invalidAnswer('The list of keys is none.');
  return readKeys(keys);
}
