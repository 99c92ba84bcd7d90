import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  clockTolerance,
  getValidatedIdTokenClaims,
  type IDToken,
  processAuthorizationCodeResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi';
import { clockToleranceSeconds } from '../limits.ts';
import { issuerFor } from './directories.ts';
import { jsonProblem } from './json.ts';
import { invalidAnswer } from './library-errors.ts';
import type { Published } from './published.ts';
import { mayBeStale, verifySignature } from './signatures.ts';

/** The client as oauth4webapi expects it. */
export const clientOf = (clientId: string) => ({
  client_id: clientId,
  [clockTolerance]: clockToleranceSeconds,
});

/** `scope`: the granted scopes, if the provider names them. `published`: what verified the token. */
export type Tokens = {
  claims: IDToken;
  accessToken: string;
  scope: string | undefined;
  published: Published;
};

type TokenResponse = {
  response: Response;
  published: Published;
  clientId: string;
  nonce: string;
  /** Refetches the published metadata and keys, if the cached ones do not verify the token. */
  refreshKeys: () => Promise<Published>;
};

/** The claims of the ID token in a token response, and the access token. Throws SignInRefused. */
export async function readTokens({ refreshKeys, ...answer }: TokenResponse): Promise<Tokens> {
  // The library reads a body once.
  const copy = answer.response.clone();
  try {
    return await readAnswer(answer);
  } catch (error) {
    if (!mayBeStale(error)) throw error;
    return readAnswer({ ...answer, response: copy, published: await refreshKeys() });
  }
}

async function readAnswer({
  response,
  published,
  clientId,
  nonce,
}: Omit<TokenResponse, 'refreshKeys'>): Promise<Tokens> {
  const issuer = await issuerFor(response, published);
  const tokens = await processAuthorizationCodeResponse(
    { ...published.server, issuer },
    clientOf(clientId),
    response,
    { expectedNonce: nonce, requireIdToken: true },
  );
  assertBearer(tokens);
  await verifySignature(response, published, issuer);
  const claims = getValidatedIdTokenClaims(tokens);
  if (!claims) throw invalidAnswer('The token endpoint returns no ID token.');
  assertClaims(claims, clientId);
  assertAccessTokenHash(claims, tokens.access_token, tokens.id_token ?? '');
  const { access_token: accessToken, scope } = tokens;
  return { claims, accessToken, scope, published };
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

function assertClaims(claims: IDToken, clientId: string): void {
  const problem = jsonProblem(claims);
  if (problem !== undefined) throw invalidAnswer(`The ID token ${problem}.`);
  if (claims.azp !== undefined && claims.azp !== clientId)
    throw invalidAnswer('The ID token was made for another client (azp).');
  if (claims.iat > Date.now() / 1000 + clockToleranceSeconds)
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
