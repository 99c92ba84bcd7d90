import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceCaller, tokenHash, tokenKind } from '@bailiwick/contract';
import { invalid } from '@bailiwick/errors';
import { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { asService, contextFor, readBody } from '@bailiwick/wire';
import { createClient, type Transport } from '@connectrpc/connect';
import { assertContent } from '../http/content.ts';
import { holdLarge } from '../http/large-bodies.ts';
import { sendSignOutPage } from '../pages/form-page.ts';
import type { createPageBrands } from '../pages/page-brands.ts';
import { rootFrom } from '../pages/pages.ts';
import { sendChoicePage, sendDevicePage } from '../pages/question-page.ts';
import type { RequestOrigin } from '../session/authenticate.ts';
import { cookiesWith, type SessionCookie } from '../session/cookies.ts';
import { createIssuerDocuments, isDocumentRequest, isMetadata } from './issuer-documents.ts';

// The routes of the OpenID provider, which sso answers. The gateway knows the person's cookie, the
// limits and the pages, and nothing of the protocol.

const maxBodyBytes = 256 * 1024;
/** The routes that a browser opens for its user. */
const pages = /^\/(?:oauth\/(?:authorize|interaction|logout)|device)(?:\/|$)/;

/** The forms of our own pages: consent, a device's code and the confirmed sign-out. */
const ownForms = /^\/(?:oauth\/(?:interaction|logout\/confirm)|device)(?:\/|$)/;
/** The routes that another site may open with a form (OIDC Core 3.1.2.1, RP-Initiated Logout 2). */
const crossSite = /^\/oauth\/(?:authorize|logout)$/;
/** A server reads a request line of 16 KB with its headers. */
const maxQueryBytes = 12 * 1024;

/** The names of the library's own cookies begin with this. */
const cookiePrefix = 'bailiwick_op_';
/** The request headers that the protocol uses. */
const passedHeaders = [
  'accept',
  'accept-language',
  'access-control-request-headers',
  'access-control-request-method',
  'authorization',
  'content-type',
  'dpop',
  'origin',
  'user-agent',
];

type IssuerRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  /** The path below the public URL. */
  pathname: string;
  search: string;
  origin: RequestOrigin;
};

/** Whether a path is that of the metadata of a public URL with this path (RFC 8414, section 3.1). */
export const isMetadataBefore = (pathname: string, prefix: string): boolean =>
  pathname === `/.well-known/oauth-authorization-server${prefix}`;

export const isIssuerPath = (pathname: string): boolean =>
  pathname.startsWith('/oauth/') || isIssuerPage(pathname) || isMetadata(pathname);

/** Whether people see the answers of a route. */
export const isIssuerPage = (pathname: string): boolean => pages.test(pathname);

export const issuerMethods = ['GET', 'HEAD', 'POST', 'OPTIONS'];

type Options = {
  sso: Transport;
  session: SessionCookie;
  brands: ReturnType<typeof createPageBrands>;
};

export function createIssuerRoutes({ sso, session, brands }: Options) {
  const issuer = createClient(Issuer, sso);
  const documents = createClient(Issuer, asService(sso, 'gateway'));
  const sendDocument = createIssuerDocuments(async (path) => {
    const { status, headers, body } = await documents.handle({ method: 'GET', path });
    if (status !== 200) throw new Error(`the OpenID provider answered ${status} at ${path}`);
    return { body, type: headers.find(({ name }) => name === 'content-type')?.value ?? '' };
  });

  return async ({ request, response, pathname, search, origin }: IssuerRequest): Promise<void> => {
    if (isDocumentRequest(request, pathname)) return sendDocument(request, response, pathname);
    const { ip, requestId } = origin;
    if (request.method === 'POST' && ownForms.test(pathname)) session.assertOwnForm(request);
    if (request.method === 'POST' && crossSite.test(pathname))
      return sendAsGet(response, pathname, await readForm(request, response, ip));
    const token = isIssuerPage(pathname) ? session.ofVisitor(request) : undefined;
    const answer = await issuer.handle(
      {
        method: request.method ?? 'GET',
        path: `${pathname}${search}`,
        headers: headersOf(request),
        body: request.method === 'POST' ? await readForm(request, response, ip) : new Uint8Array(),
        ip,
        // The token itself stays here.
        ...(token !== undefined &&
          tokenKind(token) === 'session' && { sessionHash: tokenHash(token) }),
      },
      { contextValues: contextFor(serviceCaller('gateway', requestId)) },
    );
    for (const { name, value } of answer.headers)
      if (name === 'set-cookie') response.appendHeader(name, value);
    if (answer.signedOut) session.clear(response);
    if (answer.failure !== '') throw invalid(answer.failure);
    const root = rootFrom(pathname);
    const { choice, devicePage, formUrl: url, form: fields, formScheme: scheme } = answer;
    if (choice)
      return sendChoicePage(request, response, choice, {
        brand: await brands.of(choice.tenant, ip),
        root,
      });
    if (devicePage) {
      const brand = await brands.of(devicePage.tenant, ip);
      return sendDevicePage(request, response, devicePage, { brand, root, ip });
    }
    if (url !== '') return sendSignOutPage(request, response, { url, fields, scheme }, root);
    send(response, answer);
  };
}

type Answer = {
  status: number;
  headers: ReadonlyArray<{ name: string; value: string }>;
  body: Uint8Array;
};

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  for (const { name, value } of headers) if (name !== 'set-cookie') response.setHeader(name, value);
  response
    .writeHead(status, {
      'x-content-type-options': 'nosniff',
      // Addresses have codes, which no other site may learn.
      'referrer-policy': 'no-referrer',
      'content-length': body.length,
    })
    .end(body);
}

function headersOf(request: IncomingMessage) {
  const own = cookiesWith(cookiePrefix, request).map(([name, value]) => `${name}=${value}`);
  return [
    ...passedHeaders.map((name) => ({ name, value: String(request.headers[name] ?? '') })),
    { name: 'cookie', value: own.join('; ') },
  ].filter(({ value }) => value !== '');
}

/**
 * Answers a form with its parameters as an address: the cookies of the session are Lax, and do not
 * come with a POST of another site.
 */
function sendAsGet(response: ServerResponse, pathname: string, form: Uint8Array): void {
  const query = new URLSearchParams(Buffer.from(form).toString()).toString();
  if (query.length > maxQueryBytes) throw invalid('the form is too long', 'BODY_TOO_LARGE');
  const route = pathname.slice(pathname.lastIndexOf('/') + 1);
  response
    .writeHead(303, {
      location: `${route}?${query}`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    .end();
}

async function readForm(
  request: IncomingMessage,
  response: ServerResponse,
  ip: string,
): Promise<Uint8Array> {
  // The library refuses other types, in the form of the protocol.
  assertContent(request, /^/, '');
  const body = await readBody(request, response, maxBodyBytes, holdLarge(response, ip));
  if (!body)
    throw invalid('the form must be at most 256 KiB', 'BODY_TOO_LARGE', { Limit: '256 KiB' });
  return Buffer.from(body);
}
