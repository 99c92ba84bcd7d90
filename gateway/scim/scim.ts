import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { operationOf } from '@bailiwick/contract';
import { httpStatus, notFound, ServiceError, unauthenticated } from '@bailiwick/errors';
import { Scim } from '@bailiwick/proto/gen/bailiwick/access/v1/scim_pb.ts';
import { stopReading } from '@bailiwick/wire';
import { readJson } from '../http/json-body.ts';
import { measureOperation } from '../http/telemetry.ts';
import type { Pipeline } from '../operations/operations.ts';
import type { RequestOrigin } from '../session/authenticate.ts';

// SCIM 2.0 (RFC 7644), which access answers. The gateway knows the credential, the limits, the
// bounds of bodies and the form of errors, and nothing of the resources. docs/scim.md describes it.

const route = /^\/scim\/v2\/(tnt_[0-7][0-9a-hjkmnp-tv-z]{25})(?:\/(.*))?$/;
/** The documents about the service. */
const aboutService = /^(ServiceProviderConfig|ResourceTypes|Schemas)(\/|$)/;
const operation = operationOf(Scim.method.handle);
const jsonTypes = /^application\/(scim\+)?json\s*(;|$)/i;

export const isScim = (pathname: string): boolean => pathname.startsWith('/scim/');

export const scimMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const hasBody = ({ method = '' }: IncomingMessage): boolean =>
  ['POST', 'PUT', 'PATCH'].includes(method);

type ScimRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  /** The path below the public URL. */
  pathname: string;
  search: string;
  origin: RequestOrigin;
};

/** Serves the paths that `isScim` accepts. @throws not_found for one that is not a tenant's */
export function createScim({ receive, prepare }: Pipeline, publicUrl: string) {
  return async ({ request, response, pathname, search, origin }: ScimRequest): Promise<void> => {
    const [, tenant, path = ''] = route.exec(pathname) ?? [];
    if (tenant === undefined) throw notFound('address');
    await measureOperation(operation.name, async () => {
      if (aboutService.test(path) && request.method !== 'GET') {
        response.setHeader('allow', 'GET');
        throw new ServiceError('unimplemented', 'SCIM_METHOD', 'the method must be GET');
      }
      // A browser's cookie is no credential of a directory.
      if (request.headers.authorization === undefined) throw unauthenticated();
      const context = await receive(operation, request, response, origin, readScimBody);
      const json = {
        Tenant: tenant,
        Method: request.method,
        Path: decoded(path),
        Query: search.replace(/^\?/, ''),
        IfMatch: request.headers['if-match'] ?? '',
        Body: hasBody(request) ? JSON.stringify(context.json) : '',
        BaseURL: `${publicUrl}/scim/v2/${tenant}`,
      };
      const call = await prepare(operation, { ...context, json });
      send(response, await call.send());
    });
  };
}

const readScimBody: typeof readJson = async (request, response, ip) => {
  if (hasBody(request)) return readJson(request, response, ip, jsonTypes);
  stopReading(request, response);
  return { json: {}, bytes: 0 };
};

/** A path that names no resource. */
const nowhere = '%';

/** The path without escapes. */
function decoded(path: string): string {
  try {
    const text = decodeURIComponent(path);
    return text.includes('\0') || text.length > 512 ? nowhere : text;
  } catch {
    return nowhere;
  }
}

function send(response: ServerResponse, answer: Awaited<ReturnType<Sender>>): void {
  const { Status: status, Body: body, ETag: etag, Location: location } = answer;
  if (typeof etag === 'string' && etag !== '') response.setHeader('etag', etag);
  if (typeof location === 'string' && location !== '') response.setHeader('location', location);
  sendScim(response, Number(status), typeof body === 'string' ? body : '');
}

type Sender = Awaited<ReturnType<Pipeline['prepare']>>['send'];

function sendScim(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    ...(text !== '' && {
      'content-type': 'application/scim+json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
    }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(text);
}

/** The statuses of the protocol where they differ from those of the API. */
const statuses: Partial<Record<ServiceError['code'], number>> = {
  not_found: 404,
  already_exists: 409,
  // access of the previous version does not know the protocol.
  unimplemented: 503,
  unavailable: 503,
};
const statusOfReason: Readonly<Record<string, number>> = {
  BODY_TOO_LARGE: 413,
  CONTENT_ENCODING: 415,
  CONTENT_TYPE: 415,
  SCIM_VERSION: 412,
  SCIM_METHOD: 405,
  SCIM_UNSUPPORTED: 501,
};
const syntaxReasons = ['DUPLICATE_KEY', 'NOT_JSON', 'NOT_AN_OBJECT', 'TOO_DEEP', 'TOO_MANY_VALUES'];

/** Sends an error in the form of the protocol (RFC 7644, section 3.12). */
export function sendScimError(
  response: ServerResponse,
  error: ServiceError,
  routed?: number,
): void {
  const { code, reason, messages, retryAfter } = error;
  const status = routed ?? statusOfReason[reason] ?? statuses[code] ?? httpStatus[code];
  if (code === 'unauthenticated')
    response.setHeader('www-authenticate', 'Bearer error="invalid_token"');
  if (retryAfter > 0) response.setHeader('retry-after', String(retryAfter));
  const scimType = scimTypeOf(error);
  const body = {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && [400, 409].includes(status) && { scimType }),
    detail: messages.join('; ') || code,
  };
  sendScim(response, status, JSON.stringify(body));
}

/** The error type: SCIM_INVALID_FILTER is invalidFilter. */
function scimTypeOf({ code, reason }: ServiceError): string | undefined {
  const scimType = /^SCIM_(.+)$/.exec(reason)?.[1];
  if (scimType !== undefined)
    return scimType.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  if (syntaxReasons.includes(reason)) return 'invalidSyntax';
  if (code === 'already_exists') return 'uniqueness';
  // The present state does not allow the change, such as the end of the last owner.
  if (code === 'failed_precondition') return 'mutability';
  return code === 'invalid_argument' ? 'invalidValue' : undefined;
}
