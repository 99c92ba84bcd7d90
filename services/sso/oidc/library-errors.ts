import {
  AuthorizationResponseError,
  KEY_SELECTION,
  OperationProcessingError,
  UnsupportedOperationError,
} from 'oauth4webapi';
import { SignInRefused } from '../refusal.ts';

// Maps oauth4webapi errors to explanations for administrators. Its messages name claims and
// parameters, but never their values. Its causes contain values, so they are not passed on.

export const invalidAnswer = (detail: string): SignInRefused =>
  new SignInRefused('ANSWER_INVALID', detail);

const advice: Readonly<Record<string, string>> = {
  invalid_client:
    'the client id, the client secret or the way they are sent is not what the provider expects',
  unauthorized_client: 'the provider does not let this client use the code flow',
  invalid_grant:
    'the code was used before or has expired, or belongs to another client or redirect address',
  invalid_scope: 'the provider does not know one of the scopes',
  access_denied: 'the person or the provider has declined',
};

/**
 * The error code of a provider's response, to insert into a sentence. Other values and all
 * descriptions are dropped, because they may contain anything.
 */
export function namedError(error: unknown): string {
  if (typeof error !== 'string' || !/^[a-z_]{1,40}$/.test(error)) return '';
  const hint = Object.hasOwn(advice, error) ? ` (${advice[error]})` : '';
  return `, error ${error}${hint}`;
}

const words: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /parameter "iss" .*missing/,
    'The answer does not say which provider it is from (iss), although the provider announces that it does.',
  ],
  [
    /"iss" \(issuer\) response parameter/,
    'The answer is from another provider than the request went to (iss).',
  ],
  [/"state"/, 'The answer belongs to another sign-in: its state is not ours.'],
  [/no authorization code/, 'The answer contains no code.'],
  [/implicit and hybrid|JARM/, 'The answer is of another flow than the code flow.'],
  [
    /"id_token" property/,
    'The token endpoint returns no ID token. Is the scope openid allowed for this client?',
  ],
  [/"access_token" property/, 'The token endpoint returns no access token.'],
  [/token_type/, 'The token endpoint returns no bearer token.'],
  [/JWE/, 'The ID token is encrypted. Switch the encryption of ID tokens off for this client.'],
  [
    /"alg"|JWS algorithm/,
    'The ID token is signed with an algorithm that is not allowed, or that the provider does not announce.',
  ],
  [/"crit"/, 'The ID token requires extensions (crit) that are not supported.'],
  [
    /signature verification failed/,
    'The signature of the ID token does not match the key that the provider publishes for it.',
  ],
  [
    /modulusLength/,
    'The RSA key that the ID token is signed with is too short: at least 2048 bits are required.',
  ],
  [/claim missing/, 'The ID token lacks a claim that every ID token has.'],
  [/"iss" \(issuer\) claim/, 'The ID token is from another issuer than the one that was asked.'],
  [/"azp"/, 'The ID token was made for another client (azp).'],
  [
    /untrusted audiences/,
    'The ID token is meant for several clients, and does not say for which one it was made (azp).',
  ],
  [/"aud"/, 'The ID token is meant for another client: its audience (aud) is not our client id.'],
  [/"exp"/, 'The ID token has expired. If it always has, the clocks differ.'],
  [/"nbf"/, 'The ID token is not valid yet. If it never is, the clocks differ.'],
  [/"nonce"/, 'The ID token belongs to another sign-in: its nonce is not ours.'],
  [/"sub" \(subject\)/, 'The subject of the ID token (sub) is not a text.'],
  [/body "sub"/, 'The userinfo endpoint describes another person than the ID token (sub).'],
  [/HTTP and HTTPS/, 'The discovery document names an endpoint that is not at an https address.'],
  [/"as\.token_endpoint"/, 'The discovery document names no token endpoint that can be used.'],
  [
    /"as\.userinfo_endpoint"/,
    'The discovery document names a userinfo endpoint that cannot be used.',
  ],
  [/"keys" property/, 'The keys of the provider are not a list of keys.'],
];

/** Converts an oauth4webapi error to a refusal. Other errors are returned unchanged. */
export function asRefusal(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError)
    return new SignInRefused(
      'PROVIDER_REFUSED',
      `The provider has answered with an error${namedError(error.error)}.`,
    );
  if (!(error instanceof OperationProcessingError || error instanceof UnsupportedOperationError))
    return error;
  if (error.code === KEY_SELECTION)
    return invalidAnswer(
      'The provider publishes no key, or several, for the signature of the ID token (kid).',
    );
  const known = words.find(([pattern]) => pattern.test(error.message));
  return invalidAnswer(known?.[1] ?? `The answer violates the protocol: ${error.message}.`);
}
