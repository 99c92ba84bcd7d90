import { createCache } from '@bailiwick/broker';
import { type Egress, urlProblem } from '@bailiwick/egress';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
} from 'oauth4webapi';
import { isTemplateOf } from './directories.ts';
import { type Budget, createFetch, type Limits, startBudget } from './http.ts';
import { isStrongKey, type PublicKey, readKeys, weaknessOf } from './keys.ts';
import { invalidAnswer } from './library-errors.ts';
import type { OidcProvider } from './provider.ts';
import type { Metadata, Published } from './published.ts';

/**
 * Asymmetric algorithms only (docs/security.md, 42): an HMAC could be made with the public key, and
 * `none` proves nothing.
 */
export const algorithms: ReadonlySet<unknown> = new Set(
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' '),
);

const cacheOptions = { size: 500, lifetimeMs: 600_000 };
/**
 * Cached values are small, because tenants choose the issuers and could fill the memory. A size
 * limit on the text is not enough: a parsed list of 40,000 empty objects is twenty times larger. So
 * only the used fields are kept.
 */
const publishedBytes = 128 * 1024;
const longestAddress = 2048;
/** Minimum time between two fetches of a provider's keys because the cached ones did not verify. */
const refreshMs = 60_000;

/** TTL cache of metadata and keys by issuer. */
export function createDiscovery(egress: Egress, limits: Limits) {
  const cached = createCache<Published>(cacheOptions);
  const refreshed = createCache<Published>({ size: cacheOptions.size, lifetimeMs: refreshMs });
  // One caller may cancel while others wait for the same load, so the load has its own signal.
  const load = (issuer: string) =>
    fetchPublished(egress, startBudget(limits, new AbortController().signal), issuer);

  return {
    find: (issuer: string): Promise<Published> => cached.getOrLoad(issuer, () => load(issuer)),
    /** Refetches when the cached keys do not verify: the provider may have replaced them. */
    async refresh(issuer: string): Promise<Published> {
      const fresh = await refreshed.getOrLoad(issuer, () => load(issuer));
      cached.forget(issuer);
      return cached.getOrLoad(issuer, () => Promise.resolve(fresh));
    },
    forget(issuer: string): void {
      cached.forget(issuer);
      refreshed.forget(issuer);
    },
  };
}

/** Fetches the current metadata and keys of an issuer. Throws SignInRefused. */
async function fetchPublished(egress: Egress, budget: Budget, issuer: string): Promise<Published> {
  const metadata = readMetadata(issuer, await fetchDocument(egress, budget, issuer));
  return { ...metadata, keys: await fetchKeys(egress, budget, metadata.server) };
}

/**
 * Fetches the metadata of an issuer: the fields that sign-ins use, and those that only the provider
 * test reads. Throws SignInRefused.
 */
export async function fetchMetadata(
  egress: Egress,
  budget: Budget,
  provider: OidcProvider,
): Promise<AuthorizationServer> {
  const { issuer } = provider;
  const document = await fetchDocument(egress, budget, issuer);
  const lists = announcements.flatMap((name) =>
    Array.isArray(document[name])
      ? [[name, document[name].filter((entry) => typeof entry === 'string')]]
      : [],
  );
  const metadata = readMetadata(issuer, document);
  assertIssuer(metadata, provider);
  return { ...metadata.server, ...Object.fromEntries(lists) };
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
  // urlProblem above has already decided about http.
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

// Copies fields by name, so that no other field takes effect, now or with a later version of the
// library.
function readMetadata(issuer: string, document: Record<string, unknown>): Metadata {
  const { issuer: declaredIssuer } = document;
  const template = isTemplateOf(declaredIssuer, issuer) ? declaredIssuer : undefined;
  // The library compares URLs and ignores a trailing slash. Tokens are compared exactly.
  if (declaredIssuer !== issuer && template === undefined) throw otherIssuer();
  const addresses = endpoints.flatMap((name) => {
    const address = document[name];
    return typeof address === 'string' && address.length <= longestAddress ? [[name, address]] : [];
  });
  const signing = document['id_token_signing_alg_values_supported'] ?? ['RS256'];
  const server = {
    issuer,
    ...Object.fromEntries(addresses),
    authorization_response_iss_parameter_supported: Boolean(
      document['authorization_response_iss_parameter_supported'],
    ),
    id_token_signing_alg_values_supported: Array.isArray(signing)
      ? [...new Set(signing.filter((name) => algorithms.has(name)))]
      : [],
  };
  return { server, ...(template === undefined ? {} : { template }) };
}

const otherIssuer = () =>
  invalidAnswer(
    'The discovery document is of another issuer: it must be the same to the letter, a slash at its end included.',
  );

/** Throws SignInRefused if the issuer stands for all directories, and the provider may not. */
export function assertIssuer(
  { template }: Pick<Metadata, 'template'>,
  { anyDirectory }: Pick<OidcProvider, 'anyDirectory'>,
): void {
  if (template !== undefined && !anyDirectory) throw otherIssuer();
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

/** Fetches the signature keys of a provider. Throws SignInRefused. */
export async function fetchKeys(
  egress: Egress,
  budget: Budget,
  { jwks_uri: url }: AuthorizationServer,
): Promise<PublicKey[]> {
  if (url === undefined)
    throw invalidAnswer('The discovery document contains no address of the keys (jwks_uri).');
  const headers = { accept: 'application/json, application/jwk-set+json' };
  const response = await createFetch(
    egress,
    { ...budget, answerBytes: publishedBytes },
    'The list of keys',
  )(url, { method: 'GET', headers });
  const { keys } = (await response.json()) as { keys?: unknown };
  if (!Array.isArray(keys)) throw invalidAnswer('The list of keys is not a JSON array.');
  return strongKeys(readKeys(keys));
}

/** The keys that nobody can forge signatures of. @throws if the provider publishes only others */
function strongKeys(keys: PublicKey[]): PublicKey[] {
  const strong = keys.filter(isStrongKey);
  const [first] = keys;
  if (!first || strong.length > 0) return strong;
  throw invalidAnswer(`No published key can be used: of the first one, ${weaknessOf(first)}.`);
}
