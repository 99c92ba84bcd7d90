import type { KeyObject } from 'node:crypto';

/** Apple's key of a team (P-256), and the names of both. */
export type SecretSigner = { key: KeyObject; keyId: string; teamId: string };

/** The configuration of an OpenID provider, with its secret opened. */
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
  /** The client's key, for private_key_jwt. */
  privateKey?: KeyObject;
  /** Signs a client secret for each request, in place of `clientSecret`. */
  secretSigner?: SecretSigner;
  scopes: readonly string[];
  responseMode: 'query' | 'form_post';
  redirectUri: string;
  /** Whether the issuer may stand for all directories of Microsoft. */
  anyDirectory?: boolean;
  /** The claims to read. The userinfo endpoint is asked for those missing in the ID token. */
  claims: readonly string[];
  /** The one of these claims without which a sign-in goes on if the userinfo endpoint fails. */
  optionalClaim?: string | undefined;
  /** Whether another claim than email_verified says that the address is verified. */
  mapsVerified?: boolean;
};

/** The configuration that OpenID Connect shares with plain OAuth 2.0. */
export type ClientProvider = Pick<
  OidcProvider,
  | 'issuer'
  | 'clientId'
  | 'clientSecret'
  | 'tokenAuthMethod'
  | 'privateKey'
  | 'secretSigner'
  | 'scopes'
  | 'redirectUri'
>;

/** Binds an answer to one sign-in: 256 random bits each, in base64url. */
export type OidcFlow = { state: string; nonce: string; codeVerifier: string };
