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
import { type Budget, createFetch } from './http.ts';
import { clientOf, type Tokens } from './id-token.ts';
import { invalidAnswer } from './library-errors.ts';

/** `wanted`: the claims to read, from either source. */
type Asked = {
  server: AuthorizationServer;
  clientId: string;
  wanted: readonly string[];
  tokens: Tokens;
};
type Claims = Readonly<Record<string, unknown>>;

/** The claims of the ID token, completed by the userinfo endpoint if a wanted claim is missing. */
export async function completeClaims(
  egress: Egress,
  budget: Budget,
  { server, clientId, wanted, tokens: { claims, accessToken } }: Asked,
): Promise<Claims> {
  if (server.userinfo_endpoint === undefined || wanted.every((name) => claims[name] !== undefined))
    return { ...claims };
  const client = clientOf(clientId);
  const options = {
    [customFetch]: createFetch(egress, budget, 'The userinfo endpoint'),
    [allowInsecureRequests]: true,
  };
  const response = await userInfoRequest(server, client, accessToken, options);
  return mergeClaims(
    claims,
    await processUserInfoResponse(server, client, claims.sub, response).catch(asOtherPerson),
  );
}

/** The response is a JSON object already, so the library can only reject its subject. */
function asOtherPerson(error: unknown): never {
  throw error instanceof OperationProcessingError
    ? invalidAnswer('The userinfo endpoint describes another person than the ID token (sub).')
    : error;
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
