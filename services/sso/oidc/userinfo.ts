import { findEmail } from '@bailiwick/contract';
import { type Egress } from '@bailiwick/egress';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  type IDToken,
  JSON_ATTRIBUTE_COMPARISON,
  OperationProcessingError,
  processUserInfoResponse,
  userInfoRequest,
} from 'oauth4webapi';
import { SignInRefused } from '../refusal.ts';
import { findClaim } from './claims.ts';
import { algorithms } from './discovery.ts';
import { type Budget, createFetch } from './http.ts';
import { clientOf, type Tokens } from './id-token.ts';
import { jsonProblem } from './json.ts';
import { explainUserinfoError, invalidAnswer } from './library-errors.ts';
import type { Published } from './published.ts';
import { mayBeStale, verifySignature } from './signatures.ts';

/** `names`: the claims to read, from either source. `optional`: the one that a sign-in can lack. */
type ClaimsRequest = {
  clientId: string;
  names: readonly string[];
  optional: string | undefined;
  /** Whether another claim says that the address is verified. */
  mapsVerified: boolean;
  tokens: Tokens;
  refreshKeys: () => Promise<Published>;
};
type Claims = Readonly<Record<string, unknown>>;

type ClaimsResult = { claims: Claims; incomplete?: string };

/**
 * The claims of the ID token, completed by the userinfo endpoint if a wanted claim is missing, or
 * whether the address is verified. If the endpoint fails and nothing else is missing than this and
 * `optional`, the claims are those of the ID token.
 */
export async function completeClaims(
  egress: Egress,
  budget: Budget,
  request: ClaimsRequest,
): Promise<ClaimsResult> {
  const { names, optional, mapsVerified, tokens } = request;
  const { claims } = tokens;
  const missing = names.filter((name) => findClaim(claims, name) === undefined);
  const isUndecided =
    !mapsVerified &&
    names.includes('email') &&
    claims['email'] !== undefined &&
    claims['email_verified'] === undefined;
  if (
    tokens.published.server.userinfo_endpoint === undefined ||
    (missing.length === 0 && !isUndecided)
  )
    return { claims: { ...claims } };
  try {
    return { claims: mergeClaims(claims, await readUserinfo(egress, budget, request)) };
  } catch (thrown) {
    const error = explainUserinfoError(thrown);
    const isTolerable = missing.every((name) => name === optional);
    if (!isTolerable || !(error instanceof SignInRefused) || error.detail === otherPerson)
      throw error;
    return { claims: { ...claims }, incomplete: error.detail };
  }
}

/** The claims of the userinfo endpoint, which answers with JSON or with a signed JWT. */
async function readUserinfo(
  egress: Egress,
  budget: Budget,
  { clientId, tokens: { claims, accessToken, published }, refreshKeys }: ClaimsRequest,
): Promise<Claims> {
  const client = clientOf(clientId);
  const server: AuthorizationServer = {
    ...published.server,
    userinfo_signing_alg_values_supported: [...algorithms] as string[],
  };
  const response = await userInfoRequest(server, client, accessToken, {
    [customFetch]: createFetch(egress, budget, 'The userinfo endpoint', 'userinfo'),
    [allowInsecureRequests]: true,
  });
  const isSigned = response.headers.get('content-type') === 'application/jwt';
  const userinfo = await processUserInfoResponse(server, client, claims.sub, response).catch(
    asOtherPerson,
  );
  if (!isSigned) return userinfo;
  await verifySignature(response, published, server.issuer).catch(async (error: unknown) => {
    if (!mayBeStale(error)) throw error;
    await verifySignature(response, await refreshKeys(), server.issuer);
  });
  const problem = jsonProblem(userinfo);
  if (problem !== undefined) throw invalidAnswer(`The userinfo response ${problem}.`);
  return userinfo;
}

const otherPerson = 'The userinfo endpoint describes another person than the ID token (sub).';

/** A response without the subject describes another person too. */
function asOtherPerson(error: unknown): never {
  throw error instanceof OperationProcessingError && isAboutSubject(error)
    ? invalidAnswer(otherPerson)
    : error;
}

const isAboutSubject = ({ code, cause }: OperationProcessingError): boolean =>
  code === JSON_ATTRIBUTE_COMPARISON ||
  (typeof cause === 'object' && cause !== null && 'body' in cause);

/**
 * Merges claims; the ID token takes precedence. `email_verified` of a source is about the address of
 * this source: it counts for the same address only.
 */
export function mergeClaims(claims: IDToken, userinfo: Claims): Claims {
  const { email_verified: tokenFlag, ...signed } = claims;
  const { email_verified: userinfoFlag, ...rest } = userinfo;
  const isInToken = claims['email'] !== undefined;
  const isSame = !isInToken || (tokenFlag === undefined && isSameAddress(claims, userinfo));
  const verified = isSame ? userinfoFlag : tokenFlag;
  return {
    ...joined(signed, rest),
    ...(verified === undefined ? {} : { email_verified: verified }),
  };
}

const isObject = (value: unknown): value is Claims =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of both, at any depth; those of `first` take precedence. */
function joined(first: Claims, second: Claims): Claims {
  const member = (name: string): unknown => {
    if (!Object.hasOwn(first, name)) return second[name];
    const [one, other] = [first[name], Object.hasOwn(second, name) ? second[name] : undefined];
    return isObject(one) && isObject(other) ? joined(one, other) : one;
  };
  const names = new Set([...Object.keys(second), ...Object.keys(first)]);
  return Object.fromEntries(Array.from(names, (name) => [name, member(name)]));
}

function isSameAddress({ email: one }: Claims, { email: other }: Claims): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  const key = findEmail(one)?.key;
  return key !== undefined && key === findEmail(other)?.key;
}
