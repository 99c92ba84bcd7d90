import type { KeyObject } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { RefusalReason } from '@bailiwick/sso/refusal.ts';
import type { Json } from '../jwt.ts';

/** Everything that a forgery can use. */
export type Forging = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The published key, with the id `kid`. */
  key: KeyObject;
  /** An unpublished key. */
  foreignKey: KeyObject;
  kid: string;
  /** The code and the nonce of the previous sign-in. */
  earlier: { code: string; nonce: string };
};

/** The parts of an answer that the provider forges. All other parts are correct. */
export type Forgery = {
  /** The reason of the refusal, ANSWER_INVALID by default. */
  reason?: RefusalReason;
  /** The detail that the administrator reads. */
  detail?: RegExp;
  discovery?: (document: Json, forging: Forging) => void;
  /** The parameters at the redirect URI. */
  answer?: (parameters: URLSearchParams, forging: Forging) => void;
  /** The ID token before it is signed. */
  token?: (header: Json, claims: Json, forging: Forging) => void;
  sign?: (header: Json, claims: Json, forging: Forging) => string;
  /** The response of the token endpoint. */
  exchange?: (answer: Json, forging: Forging) => void;
  /** Changes the userinfo claims. The ID token then has no email address. */
  userinfo?: (claims: Json) => void;
  /** Makes the userinfo response a JWT. */
  signUserinfo?: (claims: Json, forging: Forging) => string;
  keys?: (published: Json, foreign: Json) => void;
  /** Whole responses by path, which replace the above. */
  raw?: Record<string, (response: ServerResponse) => void>;
};
