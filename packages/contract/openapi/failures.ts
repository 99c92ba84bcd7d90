import { asProblem, type Problem, type PublicReason } from '@bailiwick/errors';
import type { DescMessage } from '@bufbuild/protobuf';
import { decodeJson } from '../json/decode.ts';
import type { Operation } from '../operation.ts';
import { findProblems } from '../validate.ts';
import { exampleValues } from './example-values.ts';
import type { Json, JsonObject } from './types.ts';

// The error responses: their descriptions, and example ErrorResponses.

const names: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

const badRequest =
  'Bad request: invalid JSON, failed validation, or a state that does not allow it.';

/** The headers of operations with a rate limit for the caller's address, session or bot key. */
export const rateLimitHeaders: JsonObject = {
  RateLimit: {
    schema: { type: 'string', example: '"login";r=119;t=60' },
    description:
      "The caller's remaining quota: r calls until the window ends in t seconds. Absent if the call has no quota.",
  },
  'RateLimit-Policy': {
    schema: { type: 'string', example: '"login";q=120;w=60' },
    description: "The caller's quota: q calls in w seconds. Absent if the call has no quota.",
  },
};

/** The shared error responses, which operations and routes refer to. */
export const sharedFailures = (): JsonObject => ({
  ...requestFailures(),
  ...routeFailures(),
  ...serverFailures(),
});

/** The errors of a request to an operation. */
function requestFailures(): JsonObject {
  const challenge = {
    schema: { type: 'string', example: 'Bearer error="invalid_token"' },
    description: 'How to present a credential.',
  };
  return {
    BadRequest: failure(badRequest, {
      NotJson: example(
        'The body cannot be read',
        'invalid_argument',
        ['the body must be JSON in UTF-8'],
        'NOT_JSON',
      ),
      NotFound: example('A record of the request does not exist', 'not_found', ['group not found']),
      DeadToken: example(
        'A mailed token was used or has expired',
        'failed_precondition',
        ['the token is no longer valid'],
        'DEAD_TOKEN',
      ),
    }),
    Unauthorized: failure(
      'Unauthorized: no credential, or one that is malformed, expired or revoked.',
      {
        Unauthenticated: example('No valid credential', 'unauthenticated', [
          'a valid credential is required',
        ]),
      },
      { 'WWW-Authenticate': challenge },
    ),
    Forbidden: failure('Forbidden: the caller lacks the permission.', {
      PermissionDenied: example('A valid caller without the permission', 'permission_denied', [
        'permission denied',
      ]),
      FactorRequired: example(
        'A session that lacks what the tenant requires',
        'permission_denied',
        ['second factor required'],
        'FACTOR_REQUIRED',
      ),
    }),
  };
}

/** The errors of a path or method that is no operation. */
function routeFailures(): JsonObject {
  return {
    NotFound: failure(
      'Not found: this server has no such path. A record that does not exist is a 400 with the code `not_found`.',
      {
        NoOperation: example(
          'No operation of this name',
          'not_found',
          ['there is no such operation; https://iam.example.com/docs lists them all'],
          'NO_ROUTE',
        ),
      },
    ),
    MethodNotAllowed: failure(
      'Method not allowed.',
      {
        WrongMethod: example(
          'A method other than POST',
          'invalid_argument',
          ['the method must be POST'],
          'WRONG_METHOD',
          { Allow: 'POST' },
        ),
      },
      {
        Allow: {
          schema: { type: 'string', example: 'POST' },
          description: 'The methods that are allowed.',
        },
      },
    ),
  };
}

/** The errors of a server that cannot take the request now. */
function serverFailures(): JsonObject {
  const seconds = { schema: { type: 'integer', example: 30 }, description: 'Seconds to wait.' };
  return {
    TooManyRequests: failure(
      'Too many requests.',
      {
        ResourceExhausted: example('Over the rate limit', 'resource_exhausted', [
          'too many requests, try again later',
        ]),
      },
      { 'Retry-After': seconds, ...rateLimitHeaders },
    ),
    InternalServerError: failure('Internal server error.', {
      Internal: example('An internal error', 'internal', ['internal error']),
      Unavailable: example('A part of the service is unavailable: retry', 'unavailable', [
        'the service is temporarily unavailable',
      ]),
    }),
  };
}

/** The errors that every operation and route declares. With `operation`, 400 has an example of its validation errors. */
export function failureResponses(limited: boolean, operation?: Operation): JsonObject {
  const declared = Object.entries(names).filter(([status]) => limited || status !== '429');
  const shared = Object.fromEntries(
    declared.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
  );
  const refused = operation && refusedRequest(operation.method.input);
  if (!refused) return shared;
  const summary = `The response to ${JSON.stringify(refused.request)}`;
  return {
    ...shared,
    400: failure(badRequest, { Invalid: example(summary, 'invalid_argument', refused.problems) }),
  };
}

/** A small invalid request with its validation messages. Undefined if the operation validates nothing. */
function refusedRequest(
  input: DescMessage,
): { request: JsonObject; problems: Problem[] } | undefined {
  const first = input.fields[0]?.jsonName;
  if (first === undefined) return undefined;
  for (const request of [{}, { Page: { Limit: -1 } }, { [first]: 0 }]) {
    const decoded = decodeJson(input, request, { unknownKeys: 'ignore' });
    const failures = findProblems(input, decoded.message, decoded.unreadable);
    const problems = [...decoded.problems, ...failures];
    if (problems.length > 0) return { request, problems };
  }
  return undefined;
}

function failure(description: string, examples: JsonObject, headers?: JsonObject): Json {
  const content = {
    'application/json': { schema: { $ref: '#/components/schemas/ErrorResponse' }, examples },
  };
  return { description, ...(headers === undefined ? {} : { headers }), content };
}

function example(
  summary: string,
  code: string,
  messages: ReadonlyArray<string | Problem>,
  reason: PublicReason | '' = '',
  params: JsonObject = {},
): Json {
  const problems = messages.map(asProblem);
  const Problems = problems.map(({ field, rule, params: values }) => ({
    Field: field,
    Rule: rule,
    Params: { ...values },
  }));
  const value = {
    Code: code,
    Reason: reason,
    Message: problems[0]?.text ?? code,
    Messages: problems.map(({ text }) => text),
    Params: params,
    Problems: code === 'invalid_argument' ? Problems : [],
    RequestID: exampleValues['RequestID'] ?? '',
  };
  return { summary, value };
}
