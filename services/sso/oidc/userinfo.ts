import type { Egress } from '@bailiwick/shared/egress/request.ts';
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  type IDToken,
  processUserInfoResponse,
  userInfoRequest,
} from 'oauth4webapi';
import { type Budget, createFetch } from './http.ts';
import { clientOf, type Tokens } from './id-token.ts';

/** `wanted`: the claims that are of use, wherever they come from. */
type Asked = {
  server: AuthorizationServer;
  clientId: string;
  wanted: readonly string[];
  tokens: Tokens;
};
type Claims = Readonly<Record<string, unknown>>;

/** The claims of the ID token, with those of the userinfo endpoint where one that is wanted is missing. */
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
  return mergeClaims(claims, await processUserInfoResponse(server, client, claims.sub, response));
}

/** The ID token's claims win. What one says of an address cannot be about the other one's. */
export function mergeClaims(claims: IDToken, told: Claims): Claims {
  const { email_verified: ofSigned, ...signed } = claims;
  const { email_verified: ofTold, ...rest } = told;
  const verified = claims['email'] === undefined ? ofTold : ofSigned;
  return { ...rest, ...signed, ...(verified === undefined ? {} : { email_verified: verified }) };
}
