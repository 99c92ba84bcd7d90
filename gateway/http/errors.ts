import { Buffer } from 'node:buffer';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import {
  type ErrorCode,
  httpStatus,
  isPublicReason,
  type Params,
  publicParams,
  type Rule,
  type ServiceError,
} from '@bailiwick/errors';

/** The reasons and rules of an ErrorResponse, which docs/api.md lists. */
export { paramsOf, reasons, rules } from '@bailiwick/errors';

// Error responses of the API: five statuses, 429 for rate limits, and 404 and 405 for unknown
// routes and methods.

type ErrorBody = {
  Code: string;
  Reason: string;
  Message: string;
  Messages: readonly string[];
  Params: Params;
  Problems: ReadonlyArray<{ Field: string; Rule: Rule; Params: Params }>;
  RequestID: string;
};

function errorBody(error: ServiceError, requestId: string): ErrorBody {
  return {
    Code: error.code,
    Reason: isPublicReason(error.reason) ? error.reason : '',
    Message: error.messages[0] ?? error.code,
    Messages: error.messages,
    Params: publicParams(error.reason, error.message, error.params),
    Problems: error.problems.map(({ field, rule, params }) => ({
      Field: field,
      Rule: rule,
      Params: params,
    })),
    RequestID: requestId,
  };
}

/** Sets the headers that belong to an error, whatever the form of its body. */
export function setErrorHeaders(response: ServerResponse, error: ServiceError): void {
  if (error.code === 'unauthenticated')
    response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
  if (error.retryAfter > 0) response.setHeader('retry-after', String(error.retryAfter));
}

/** Sends an ErrorResponse. `status` overrides the status of the error's code. */
export function sendError(
  response: ServerResponse,
  error: ServiceError,
  requestId: string,
  status = httpStatus[error.code],
): void {
  setErrorHeaders(response, error);
  sendJson(response, status, errorBody(error, requestId));
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  caching = 'no-store',
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': caching,
  });
  response.end(text);
}

const rawMessages: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'the headers are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took too long to arrive',
  EXPECTATION: 'the Expect header is not supported',
  CONNECT: 'the CONNECT method is not supported',
  UPGRADE: 'this path has no other protocol',
};

/** The raw response to a request that Node rejects before it reaches a handler, as an API error. */
export const rawErrorResponse = (code: string | undefined): string =>
  rawResponse(400, 'invalid_argument', rawMessages[code ?? ''] ?? 'the request is not valid HTTP');

/** The raw response to a request without a response of Node's, as an API error. */
export function rawResponse(status: number, code: ErrorCode, message: string): string {
  const body = JSON.stringify({
    Code: code,
    Reason: '',
    Message: message,
    Messages: [message],
    Params: {},
    Problems: [{ Field: '', Rule: 'custom', Params: {} }],
    RequestID: '',
  });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
