import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
} from 'jose';
import { InvalidTokenError } from './errors.ts';
import { createProofCheck, type ProvenRequest } from './proofs.ts';

// Verifies access tokens of RFC 9068 without a call for each token.

/** The claims of an access token. Names are those of the token. */
export type AccessToken = JWTPayload & {
  /** The user or bot, `usr_…` or `bot_…`; the `client_id`, `app_…`, in the token of a service. */
  sub: string;
  exp: number;
  iat: number;
  client_id: string;
  /** The permissions that the client was granted, separated by spaces. A name may end in "*". */
  scope?: string;
  /** The chosen tenant, `tnt_…`. Read and write the data of this tenant only. */
  tenant?: string;
  tenant_slug?: string;
  roles?: string[];
  groups?: string[];
  /** The permissions of the scope that the subject has in the tenant. A name may end in "*". */
  permissions?: string[];
  /** True if there are too many permissions for a token. */
  permissions_omitted?: boolean;
};

/** The claims of a token, and what else the verifier knows of it. */
export type VerifiedToken = AccessToken & {
  /** `kid` of the token's header: the issuer's key that signed the token. Empty if it names none. */
  keyId: string;
};

export type VerifierOptions = {
  /** The issuer, exactly as in the tokens: the public URL of Bailiwick. */
  issuer: string;
  /** The resource that the tokens must be for, or several. */
  audience: string | string[];
  /**
   * The origin of the addresses that clients call, such as `https://reports.example.com`, which the
   * proofs of bound tokens name. By default the origin of the audience.
   */
  origin?: string | undefined;
  /** The address of the issuer's keys. By default the issuer's metadata name it. */
  jwksUri?: string | undefined;
  /** Replaces the global fetch. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Refuses a token as soon as its session, user, app or key has ended. See `follower`. */
  follower?: { confirm(token: VerifiedToken): Promise<void> } | undefined;
};

/**
 * Returns the claims of a valid token. With `request` the token must be bound to a key, and the
 * request prove it (`Authorization: DPoP`); without it a bound token is refused.
 * @throws InvalidTokenError if the token or the proof is not valid; UnavailableError if the follower
 * cannot know it; other errors if the issuer's keys cannot be fetched
 */
export type Verifier = (token: string, request?: ProvenRequest) => Promise<VerifiedToken>;

/** The signature algorithms of the issuer. All others, including `none`, are refused. */
const algorithms = ['ES256', 'RS256'];
/** The clocks of two hosts differ. */
const clockToleranceSeconds = 5;
const fetchMs = 5000;
/** Keys that the issuer has withdrawn are refused after this time. */
const keysMs = 600_000;
/** A token with an unknown key causes a fetch of the keys no more often than this. */
const unknownKeyMs = 10_000;

/**
 * Creates a verifier. It fetches the issuer's keys when the first token arrives, and keeps them.
 * Create one for each issuer and audience, and not one for each request.
 */
export function verifier(options: VerifierOptions): Verifier {
  const { issuer, audience, follower } = options;
  if (issuer === '' || audience.length === 0)
    throw new TypeError('issuer and audience are required');
  const keys = openKeys(options);
  const rules = {
    issuer,
    audience,
    algorithms,
    typ: 'at+jwt',
    requiredClaims: ['sub', 'exp', 'iat', 'client_id'],
    clockTolerance: clockToleranceSeconds,
  };
  const origin = originOf(options);
  const checkProof = createProofCheck();
  return async (token, request) => {
    const getKey = await keys();
    const { payload, protectedHeader } = await jwtVerify(token, getKey, rules).catch(
      (error: unknown) => {
        throw isInvalid(error)
          ? new InvalidTokenError(aboutAudience(error, audience) ?? error.message, { cause: error })
          : error;
      },
    );
    if (typeof payload.sub !== 'string') throw new InvalidTokenError('sub must be a string');
    const jkt = boundKey(payload);
    if (request) {
      if (jkt === undefined) throw new InvalidTokenError('it is not bound to a key');
      if (origin === undefined)
        throw new TypeError('bound tokens need an origin, or an audience that is a URL');
      const { method, proof } = request;
      await checkProof(proof, { token, jkt, method, url: publicUrl(request.url, origin) });
    } else if (jkt !== undefined)
      // Only a check of the proof stops a thief of the token (RFC 9449, section 7.1).
      throw new InvalidTokenError('it is bound to a key (cnf), and is no bearer token');
    const verified = { ...(payload as AccessToken), keyId: protectedHeader.kid ?? '' };
    await follower?.confirm(verified);
    return verified;
  };
}

/** The thumbprint of the key that a token is bound to. @throws if it is bound in another way */
function boundKey({ cnf }: JWTPayload): string | undefined {
  if (cnf === undefined) return undefined;
  const { jkt, ...others } = (cnf ?? {}) as Record<string, unknown>;
  if (typeof jkt === 'string' && Object.keys(others).length === 0) return jkt;
  throw new InvalidTokenError('it is bound to a key (cnf) in a way that is not supported');
}

function originOf({ origin, audience }: VerifierOptions): string | undefined {
  const text = origin ?? [audience].flat()[0] ?? '';
  return /^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : undefined;
}

/** The address that the client called. A proxy may have changed its origin. */
function publicUrl(url: string, origin: string): URL {
  const { pathname } = new URL(url.startsWith('/') ? `${origin}${url}` : url);
  return new URL(`${origin}${pathname}`);
}

/** Names both audiences if a token is for another one: often they differ by a slash at the end. */
function aboutAudience(error: Error, audience: VerifierOptions['audience']): string | undefined {
  if (!(error instanceof errors.JWTClaimValidationFailed) || error.claim !== 'aud')
    return undefined;
  const quoted = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 300);
  return `the token is for ${quoted(error.payload.aud)} (aud), and the verifier takes ${quoted(audience)}`;
}

/** Whether the token is at fault, and not the issuer's keys or the network. */
function isInvalid(error: unknown): error is Error {
  return (
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}

/** The issuer's keys. Concurrent callers share a fetch, and a failed one is repeated. */
function openKeys({ issuer, jwksUri, fetch: ownFetch }: VerifierOptions) {
  const fetch = ownFetch ?? globalThis.fetch;
  const open = (uri: string): JWTVerifyGetKey =>
    createRemoteJWKSet(new URL(uri), {
      timeoutDuration: fetchMs,
      cacheMaxAge: keysMs,
      cooldownDuration: unknownKeyMs,
      [customFetch]: fetch,
    });
  let opened = jwksUri === undefined ? undefined : Promise.resolve(open(jwksUri));
  return (): Promise<JWTVerifyGetKey> => {
    opened ??= findKeys(issuer, fetch)
      .then(open)
      .catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
}

/** Reads the address of the keys from the issuer's metadata (OpenID Connect Discovery 1.0, §4). */
async function findKeys(issuer: string, fetch: typeof globalThis.fetch): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const signal = AbortSignal.timeout(fetchMs);
  const response = await fetch(url, { signal, redirect: 'manual' });
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  const metadata = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  // Metadata of another issuer would let its keys sign for this one (§4.3).
  if (metadata.issuer !== issuer) throw new Error(`${url} describes another issuer`);
  if (typeof metadata.jwks_uri !== 'string') throw new Error(`${url} names no jwks_uri`);
  return metadata.jwks_uri;
}
