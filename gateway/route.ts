import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError, toServiceError } from '@bailiwick/errors';
import { type LimitProfile } from '@bailiwick/limits';
import { operations } from '@bailiwick/proto/registry.ts';
import { type RightsCache } from '@bailiwick/revocation';
import { problemOf, stopReading } from '@bailiwick/rpc';
import { type OwnSettings } from '@bailiwick/service';
import { type Log, markFailed } from '@bailiwick/telemetry';
import { ConnectError } from '@connectrpc/connect';
import type { Span } from '@opentelemetry/api';
import { createAuthenticator, type RequestOrigin } from './authenticate.ts';
import { createClientAddress } from './client-address.ts';
import { createFlowCookies, createSessionCookie } from './cookies.ts';
import { createCors } from './cors.ts';
import { isDocs, sendDocs } from './docs.ts';
import { sendError } from './errors.ts';
import { createOperationHandler, type Peers } from './operations.ts';
import { acceptsHtml, isPage, sendErrorPage, sendHomePage, sendPage } from './pages.ts';
import { callQuotas, createQuotas } from './quotas.ts';
import type { gatewaySettings } from './settings.ts';
import { createSsoRoutes } from './sso.ts';
import { measureOperation, nameRequest, traceRequest } from './telemetry.ts';

type Options = {
  peers: Peers;
  settings: OwnSettings<typeof gatewaySettings>;
  rightsCache: RightsCache;
  ready: () => Promise<void>;
  log: Log;
};

/** Routes a request: to an operation, an /auth route, a page or the API reference. */
export function createRouter({ peers, settings, rightsCache, ready, log }: Options) {
  const { publicUrl, allowedOrigins, trustedProxies, trustTraceparent } = settings;
  const cookie = createSessionCookie(publicUrl, allowedOrigins);
  const quotas = createQuotas({
    ...callQuotas[settings.limits as LimitProfile],
    tenant: settings.tenantQuota,
  });
  const unknownKeys = settings.unknownKeys === 'ignore' ? 'ignore' : 'refuse';
  const runOperation = createOperationHandler({
    peers,
    authenticator: createAuthenticator(peers, rightsCache),
    cookie,
    quotas,
    unknownKeys,
  });
  const cors = createCors(allowedOrigins);
  const clientAddress = createClientAddress(trustedProxies);
  const sso = createSsoRoutes({
    sso: peers.sso,
    session: cookie,
    flows: createFlowCookies(publicUrl),
  });
  const prefix = new URL(publicUrl).pathname.replace(/\/+$/, '');

  const isServed = (pathname: string): boolean =>
    operations.get(pathname.slice(1))?.public === true ||
    sso.match(pathname) !== null ||
    isPage(pathname) ||
    isDocs(pathname);
  // A proxy may keep or strip the public URL's path. Both work, also if that path begins like one
  // of our routes.
  const withoutPrefix = (pathname: string): string =>
    !isServed(pathname) && `${pathname}/`.startsWith(`${prefix}/`)
      ? pathname.slice(prefix.length) || '/'
      : pathname;
  const unknownPath = `there is no such operation; ${publicUrl.replace(/\/+$/, '')}/docs lists them all`;

  async function route(
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
    span: Span,
  ): Promise<void> {
    const url = URL.parse(request.url ?? '/', 'http://gateway');
    if (!url) throw new RoutingError(404, unknownPath);
    const pathname = withoutPrefix(url.pathname);
    const operation = operations.get(pathname.slice(1));
    if (operation?.public) {
      nameRequest(span, request, `/${operation.name}`);
      if (cors.allow(request, response)) return;
      return measureOperation(operation.name, () => {
        assertMethod(request, response, ['POST']);
        return runOperation(operation, request, response, origin);
      });
    }
    const signIn = sso.match(pathname);
    if (signIn) {
      nameRequest(span, request, `/auth/{tenant}/{provider}/${signIn[3]}`);
      assertMethod(request, response, sso.methods(signIn));
      return sso.handle({ request, response, url, match: signIn, origin });
    }
    if (isPage(pathname)) {
      assertMethod(request, response, ['GET', 'HEAD']);
      return sendPage(response, pathname);
    }
    if (isDocs(pathname)) {
      assertMethod(request, response, ['GET', 'HEAD']);
      return sendDocs(request, response, pathname);
    }
    // Clients that do not ask for HTML get the JSON 404 below.
    if (pathname === '/' && acceptsHtml(request)) {
      assertMethod(request, response, ['GET', 'HEAD']);
      return sendHomePage(response, prefix);
    }
    if (pathname === '/readyz') {
      assertMethod(request, response, ['GET', 'HEAD']);
      return sendReadiness(response, ready);
    }
    throw new RoutingError(404, unknownPath);
  }

  /** Whether to show the failure as a page: a user is signing in with a browser. */
  function wantsPage(request: IncomingMessage, thrown: unknown): boolean {
    const pathname = withoutPrefix(URL.parse(request.url ?? '/', 'http://gateway')?.pathname ?? '');
    return (
      sso.match(pathname) !== null && acceptsHtml(request) && !(thrown instanceof RoutingError)
    );
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    span: Span,
  ): Promise<void> {
    const requestId = randomUUID();
    span.setAttribute('bailiwick.request_id', requestId);
    response.setHeader('x-request-id', requestId);
    const { origin: site = '', 'user-agent': userAgent = '' } = request.headers;
    const origin = {
      requestId,
      ip: clientAddress(request),
      userAgent: userAgent.slice(0, 256),
      origin: site.slice(0, 256),
    };
    // Only POST bodies are read.
    if (request.method !== 'POST') stopReading(request, response);
    try {
      await route(request, response, origin, span);
    } catch (thrown) {
      const error = toServiceError(thrown);
      markFailed(span, error.code);
      // A service logs the errors that it returns. All other errors appear only here.
      const answered =
        thrown instanceof ServiceError ||
        (thrown instanceof ConnectError && thrown.cause === undefined);
      if (!answered) log.error('a request failed', { error: thrown, requestId });
      // Makes the RequestID findable even if no service was called. The path is not logged: clients
      // control it.
      log.info('refused', { method: request.method, code: error.code, requestId });
      if (response.headersSent) return void response.destroy();
      stopReading(request, response);
      if (wantsPage(request, thrown)) sendErrorPage(response, error, requestId);
      else
        sendError(
          response,
          error,
          requestId,
          thrown instanceof RoutingError ? thrown.status : undefined,
        );
    }
  }

  return (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    traceRequest(request, response, trustTraceparent, (span) => answer(request, response, span));
}

/** An unknown route or a wrong method: with 429 the only statuses beyond the documented ones. */
class RoutingError extends ServiceError {
  readonly status: number;
  constructor(status: number, message: string) {
    super(status === 404 ? 'not_found' : 'invalid_argument', 'NO_ROUTE', message);
    this.status = status;
  }
}

function assertMethod(
  request: IncomingMessage,
  response: ServerResponse,
  allowed: readonly string[],
): void {
  if (allowed.includes(request.method ?? '')) return;
  response.setHeader('allow', allowed.join(', '));
  throw new RoutingError(405, `the method must be ${allowed.join(' or ')}`);
}

async function sendReadiness(response: ServerResponse, ready: () => Promise<void>): Promise<void> {
  const problem = await problemOf(ready);
  response
    .writeHead(problem === undefined ? 200 : 503, { 'content-type': 'text/plain' })
    .end(`${problem ?? 'ok'}\n`);
}
