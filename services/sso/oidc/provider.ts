import type { KeyObject } from 'node:crypto';

/** How an OpenID provider is configured, its secret opened. */
export type OidcProvider = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  tokenAuthMethod:
    | 'client_secret_basic'
    | 'client_secret_post'
    | 'client_secret_jwt'
    | 'private_key_jwt'
    | 'none';
  /** Ours, for private_key_jwt. */
  privateKey?: KeyObject;
  scopes: readonly string[];
  responseMode: 'query' | 'form_post';
  redirectUri: string;
  /** Those that are of use; the userinfo endpoint is asked for what the ID token has not. */
  claims: readonly string[];
};

/** What binds an answer to one sign-in: 256 random bits each, in base64url. */
export type OidcFlow = { state: string; nonce: string; codeVerifier: string };
