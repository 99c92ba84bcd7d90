import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  clockTolerance,
  customFetch,
  getValidatedIdTokenClaims,
  type IDToken,
  KEY_SELECTION,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  type TokenEndpointResponse,
  validateApplicationLevelSignature,
} from 'oauth4webapi';
import { issuerFor, keysOf } from './directories.ts';
import type { Published } from './discovery.ts';
import { jsonProblem } from './json.ts';
import { explainError, invalidAnswer } from './library-errors.ts';

/** Tolerance for the provider's clock, in seconds. */
const skew = 60;

/** The client as oauth4webapi expects it. */
export const clientOf = (clientId: string) => ({ client_id: clientId, [clockTolerance]: skew });

/** `scope`: the granted scopes, if the provider names them. */
export type Tokens = { claims: IDToken; accessToken: string; scope: string | undefined };

type Answered = {
  response: Response;
  published: Published;
  clientId: string;
  nonce: string;
  /** Refetches the published keys, for a kid that is not among the known ones. */
  refreshKeys: () => Promise<Published>;
};

/** The claims of the ID token in a token response, and the access token. Throws SignInRefused. */
export async function readTokens({
  response,
  published,
  clientId,
  nonce,
  refreshKeys,
}: Answered): Promise<Tokens> {
  const issuer = await issuerFor(response, published);
  const tokens = await processAuthorizationCodeResponse(
    { ...published.server, issuer },
    clientOf(clientId),
    response,
    { expectedNonce: nonce, requireIdToken: true },
  );
  assertBearer(tokens);
  await verifySignature(response, published, issuer).catch(async (error: unknown) => {
    if (!isKeyMissing(error)) throw error;
    await verifySignature(response, await refreshKeys(), issuer);
  });
  const claims = getValidatedIdTokenClaims(tokens);
  if (!claims) throw invalidAnswer('The token endpoint returns no ID token.');
  assertClaims(claims, clientId);
  assertAccessTokenHash(claims, tokens.access_token, tokens.id_token ?? '');
  return { claims, accessToken: tokens.access_token, scope: tokens.scope };
}

/** Throws SignInRefused unless the response has a token that can be sent in a header. */
export function assertBearer({
  token_type: type,
  access_token: token,
}: TokenEndpointResponse): void {
  if (type !== 'bearer') throw invalidAnswer('The token endpoint returns no bearer token.');
  if (!/^[\x21-\x7e]{1,16384}$/.test(token))
    throw invalidAnswer('The token endpoint returns a malformed access token.');
}

const isKeyMissing = (error: unknown): boolean =>
  error instanceof OperationProcessingError && error.code === KEY_SELECTION;

/**
 * Verifies the signature although the token came over TLS: an attacker in between, or one who
 * answers for the token endpoint, does not have the keys.
 */
async function verifySignature(
  response: Response,
  published: Published,
  issuer: string,
): Promise<void> {
  // A copy, so that the library uses no cached keys: the discovery decides which keys are valid.
  const own: AuthorizationServer = { ...published.server };
  const keys = keysOf(published, issuer).map(({ issuer: _issuer, ...key }) => key);
  const options = {
    [customFetch]: () => Promise.resolve(Response.json({ keys })),
    [allowInsecureRequests]: true,
  };
  try {
    await validateApplicationLevelSignature(own, response, options);
  } catch (error) {
    if (isKeyMissing(error)) throw error;
    const refusal = explainError(error);
    // Errors of the platform's cryptography about a broken key or signature.
    throw refusal === error
      ? invalidAnswer('The signature of the ID token, or the key for it, is malformed.')
      : refusal;
  }
}

function assertClaims(claims: IDToken, clientId: string): void {
  const problem = jsonProblem(claims);
  if (problem !== undefined) throw invalidAnswer(`The ID token ${problem}.`);
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw invalidAnswer('The ID token was made for another client (azp).');
  if (claims.iat > Date.now() / 1000 + skew)
    throw invalidAnswer(
      'The ID token was issued in the future (iat). If it always is, the clocks differ.',
    );
  if (claims.sub.length === 0 || claims.sub.length > 255)
    throw invalidAnswer(
      'The subject of the ID token (sub) is empty or longer than 255 characters.',
    );
}

/** `at_hash` must equal the left half of the access token's hash (OpenID Connect Core §3.1.3.6). */
function assertAccessTokenHash(
  { at_hash: claimed }: IDToken,
  accessToken: string,
  idToken: string,
): void {
  if (claimed === undefined) return;
  const { alg = '' } = JSON.parse(
    Buffer.from(idToken.split('.')[0] ?? '', 'base64url').toString(),
  ) as { alg?: string };
  const size = alg.startsWith('Ed') ? 512 : Number(alg.slice(-3));
  const hash = createHash(`sha${size}`).update(accessToken).digest();
  if (claimed !== hash.subarray(0, hash.length / 2).toString('base64url'))
    throw invalidAnswer('The ID token belongs to another access token (at_hash).');
}
