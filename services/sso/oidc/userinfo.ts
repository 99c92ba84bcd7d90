import { type Egress } from '@bailiwick/egress';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  type IDToken,
  OperationProcessingError,
  processUserInfoResponse,
  userInfoRequest,
} from 'oauth4webapi';
import { SignInRefused } from '../refusal.ts';
import { type Budget, createFetch } from './http.ts';
import { clientOf, type Tokens } from './id-token.ts';
import { explainError, invalidAnswer } from './library-errors.ts';

/** `wanted`: the claims to read, from either source. `optional`: the one that a sign-in can lack. */
type Asked = {
  server: AuthorizationServer;
  clientId: string;
  wanted: readonly string[];
  optional: string | undefined;
  tokens: Tokens;
};
type Claims = Readonly<Record<string, unknown>>;

type Completed = { claims: Claims; incomplete?: string };

/**
 * The claims of the ID token, completed by the userinfo endpoint if a wanted claim is missing. If
 * the endpoint fails and only `optional` is missing, the claims are those of the ID token.
 */
export async function completeClaims(
  egress: Egress,
  budget: Budget,
  { server, clientId, wanted, optional, tokens: { claims, accessToken } }: Asked,
): Promise<Completed> {
  const missing = wanted.filter((name) => claims[name] === undefined);
  if (server.userinfo_endpoint === undefined || missing.length === 0)
    return { claims: { ...claims } };
  const client = clientOf(clientId);
  const options = {
    [customFetch]: createFetch(egress, budget, 'The userinfo endpoint'),
    [allowInsecureRequests]: true,
  };
  try {
    const response = await userInfoRequest(server, client, accessToken, options);
    const userinfo = processUserInfoResponse(server, client, claims.sub, response);
    return { claims: mergeClaims(claims, await userinfo.catch(asOtherPerson)) };
  } catch (thrown) {
    const error = explainError(thrown);
    const isTolerable = missing.every((name) => name === optional);
    if (!isTolerable || !(error instanceof SignInRefused) || error.detail === otherPerson)
      throw error;
    return { claims: { ...claims }, incomplete: error.detail };
  }
}

const otherPerson = 'The userinfo endpoint describes another person than the ID token (sub).';

/** The response is a JSON object already, so the library can only reject its subject. */
function asOtherPerson(error: unknown): never {
  throw error instanceof OperationProcessingError ? invalidAnswer(otherPerson) : error;
}

/**
 * Merges claims; the ID token takes precedence. `email_verified` is only taken from the source of
 * the address.
 */
export function mergeClaims(claims: IDToken, userinfo: Claims): Claims {
  const { email_verified: inToken, ...signed } = claims;
  const { email_verified: inUserinfo, ...rest } = userinfo;
  const verified = claims['email'] === undefined ? inUserinfo : inToken;
  return { ...rest, ...signed, ...(verified === undefined ? {} : { email_verified: verified }) };
}
