import {
  AuthorizationResponseError,
  INVALID_RESPONSE,
  INVALID_SERVER_METADATA,
  JWT_CLAIM_COMPARISON,
  JWT_TIMESTAMP_CHECK,
  KEY_SELECTION,
  MISSING_SERVER_METADATA,
  OperationProcessingError,
  REQUEST_PROTOCOL_FORBIDDEN,
  UNSUPPORTED_OPERATION,
  UnsupportedOperationError,
} from 'oauth4webapi';
import { describeAnswer, SignInRefused } from '../refusal.ts';

// Maps oauth4webapi errors to explanations for administrators, by the code and the cause of an error.
// Its messages name claims and parameters, but never their values, so they may be shown for unknown
// errors. Its causes contain values, so they are read but not passed on.

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
 * The error code of a provider's response, to insert into a sentence. Other values are dropped,
 * because they may contain anything.
 */
export function namedError(error: unknown): string {
  if (typeof error !== 'string' || !/^[a-z_]{1,40}$/.test(error)) return '';
  const hint = Object.hasOwn(advice, error) ? ` (${advice[error]})` : '';
  return `, error ${error}${hint}`;
}

/** Texts for problems that the library reports in more than one way. */
const texts = {
  anotherFlow: 'The answer is of another flow than the code flow.',
  algorithm:
    'The ID token is signed with an algorithm that is not allowed, or that the provider does not announce.',
  tokenType: 'The token endpoint returns no bearer token.',
  issuer: 'The ID token is from another issuer than the one that was asked.',
  audience: 'The ID token is meant for another client: its audience (aud) is not our client id.',
  expired: 'The ID token has expired. If it always has, the clocks differ.',
  notYetValid: 'The ID token is not valid yet. If it never is, the clocks differ.',
} as const;

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';
const isNumber = (value: unknown): boolean => typeof value === 'number';

const untimely: Readonly<Record<string, string>> = {
  exp: texts.expired,
  nbf: texts.notYetValid,
};

const foreign: Readonly<Record<string, string>> = {
  aud: texts.audience,
  azp: 'The ID token was made for another client (azp).',
  iss: texts.issuer,
  nonce: 'The ID token belongs to another sign-in: its nonce is not ours.',
};

const unusable: Readonly<Record<string, string>> = {
  token_endpoint: 'The discovery document names no token endpoint that can be used.',
  userinfo_endpoint: 'The discovery document names a userinfo endpoint that cannot be used.',
};

/** The text for a code and its cause, or undefined. */
const explanations: Readonly<Record<string, (cause: unknown) => string | undefined>> = {
  [INVALID_RESPONSE]: explainInvalidResponse,
  [UNSUPPORTED_OPERATION]: explainUnsupported,
  [JWT_CLAIM_COMPARISON]: explainClaim,
  [JWT_TIMESTAMP_CHECK]: (cause) => untimely[fieldOf(cause, 'claim')],
  [KEY_SELECTION]: () =>
    'The provider publishes no key, or several, for the signature of the ID token (kid).',
  [REQUEST_PROTOCOL_FORBIDDEN]: () =>
    'The discovery document names an endpoint that is not at an https address.',
  [MISSING_SERVER_METADATA]: (cause) => unusable[fieldOf(cause, 'attribute')],
  [INVALID_SERVER_METADATA]: (cause) => unusable[fieldOf(cause, 'attribute')],
};

const fieldOf = (cause: unknown, name: string): string =>
  isFields(cause) ? String(cause[name]) : '';

function explainInvalidResponse(cause: unknown): string | undefined {
  // A repeated parameter would have no cause either, but our parameters come from an object.
  if (cause === undefined) return 'The answer contains no code.';
  if (!isFields(cause)) return undefined;
  const { parameters, expected, body, claims, header, signature } = cause;
  if (parameters instanceof URLSearchParams) return explainParameters(parameters, expected);
  if (isFields(body)) return explainTokens(body);
  if (isFields(claims)) return explainShape(claims);
  if (header !== undefined) return texts.algorithm;
  return signature === undefined
    ? undefined
    : 'The signature of the ID token does not match the key that the provider publishes for it.';
}

function explainParameters(parameters: URLSearchParams, expected: unknown): string {
  if (expected === undefined)
    return parameters.get('response')
      ? texts.anotherFlow
      : 'The answer does not say which provider it is from (iss), although the provider announces that it does.';
  // Either the issuer was expected, which is a URL, or our state, which contains no colon.
  return typeof expected === 'string' && URL.canParse(expected)
    ? 'The answer is from another provider than the request went to (iss).'
    : 'The answer belongs to another sign-in: its state is not ours.';
}

/** Checks the fields of a token response in the library's order. */
function explainTokens({ access_token, token_type, id_token }: Fields): string | undefined {
  if (!isText(access_token)) return 'The token endpoint returns no access token.';
  if (!isText(token_type)) return texts.tokenType;
  return isText(id_token)
    ? undefined
    : 'The token endpoint returns no ID token. Is the scope openid allowed for this client?';
}

/** Checks the types and presence of the claims of an ID token in the library's order. */
function explainShape(claims: Fields): string | undefined {
  const { exp = 0, iss = '', nbf = 0, aud = '', sub } = claims;
  if (!isNumber(exp)) return texts.expired;
  if (typeof iss !== 'string') return texts.issuer;
  if (!isNumber(nbf)) return texts.notYetValid;
  if (typeof aud !== 'string' && !Array.isArray(aud)) return texts.audience;
  if (['aud', 'exp', 'iat', 'iss', 'sub', 'nonce'].some((name) => claims[name] === undefined))
    return 'The ID token lacks a claim that every ID token has.';
  return typeof sub === 'string' ? undefined : 'The subject of the ID token (sub) is not a text.';
}

function explainClaim(cause: unknown): string | undefined {
  const claim = fieldOf(cause, 'claim');
  if (claim === 'aud' && isFields(cause) && cause['expected'] === undefined)
    return 'The ID token is meant for several clients, and does not say for which one it was made (azp).';
  return foreign[claim];
}

/** The cause is the thing that is not supported: nothing, a token, a key, or an object around it. */
function explainUnsupported(cause: unknown): string | undefined {
  if (cause === undefined) return texts.anotherFlow;
  if (typeof cause === 'string')
    return 'The ID token is encrypted. Switch the encryption of ID tokens off for this client.';
  if (!isFields(cause)) return undefined;
  const { body, header, alg, algorithm } = cause;
  if (body !== undefined) return texts.tokenType;
  if (header !== undefined)
    return 'The ID token requires extensions (crit) that are not supported.';
  if (alg !== undefined) return texts.algorithm;
  return isFields(algorithm) && Number(algorithm['modulusLength']) < 2048
    ? 'The RSA key that the ID token is signed with is too short: at least 2048 bits are required.'
    : undefined;
}

/**
 * Converts an oauth4webapi error about a userinfo response, which may be a JWT, to a refusal. Other
 * errors are returned unchanged.
 */
export function explainUserinfoError(thrown: unknown): unknown {
  const error = explainError(thrown);
  return error instanceof SignInRefused && error !== thrown
    ? invalidAnswer(error.detail.replaceAll('ID token', 'userinfo response'))
    : error;
}

/** Converts an oauth4webapi error to a refusal. Other errors are returned unchanged. */
export function explainError(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError)
    return new SignInRefused(
      'PROVIDER_REFUSED',
      `The provider has answered with an error${namedError(error.error)}.${describeAnswer(error.error_description)}`,
    );
  if (!(error instanceof OperationProcessingError || error instanceof UnsupportedOperationError))
    return error;
  const text = explanations[error.code ?? '']?.(error.cause);
  return invalidAnswer(text ?? `The answer violates the protocol: ${error.message}.`);
}
