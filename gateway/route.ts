import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError, toServiceError } from '@bailiwick/errors';
import type { LimitProfile } from '@bailiwick/limits';
import { type OwnSettings, type Running } from '@bailiwick/process';
import { operations } from '@bailiwick/proto/registry.ts';
import { type RightsCache } from '@bailiwick/revocation';
import { type Log, markFailed } from '@bailiwick/telemetry';
import { stopReading } from '@bailiwick/wire';
import { ConnectError } from '@connectrpc/connect';
import type { Span } from '@opentelemetry/api';
import { createAuthenticator, type RequestOrigin } from './authenticate.ts';
import { createAuthzen, isAuthzen } from './authzen.ts';
import { createClientAddress } from './client-address.ts';
import { type Console, openConsole } from './console.ts';
import { assertSingleHeaders } from './content.ts';
import {
  createFlowCookies,
  createLinkCookie,
  createSessionCookie,
  createSupportCookie,
} from './cookies.ts';
import { createCors } from './cors.ts';
import { isDocs, sendDocs } from './docs.ts';
import { sendError } from './errors.ts';
import {
  createIssuerRoutes,
  isIssuerPage,
  isIssuerPath,
  isMetadataBefore,
  issuerMethods,
} from './issuer.ts';
import { createOrigin, createOtherName } from './local-names.ts';
import { createLogos, isLogo } from './logos.ts';
import { createOperationHandler, createPipeline, type Peers } from './operations.ts';
import { createPageBrands, readOwnImages } from './page-brands.ts';
import { keepLanguage } from './page-language.ts';
import {
  acceptsHtml,
  isBranded,
  isPage,
  rootFrom,
  sendErrorPage,
  sendHomePage,
  sendPage,
} from './pages.ts';
import { callQuotas, createQuotas } from './quotas.ts';
import { sendReadiness } from './readiness.ts';
import { assertMethod, RoutingError } from './routing-error.ts';
import { createScim, isScim, scimMethods, sendScimError } from './scim.ts';
import type { gatewaySettings } from './settings.ts';
import { SignInFailure, wayOnFrom } from './sign-in-failure.ts';
import { createSsoRoutes } from './sso.ts';
import { measureOperation, nameRequest, traceRequest } from './telemetry.ts';

type Options = {
  peers: Peers;
  settings: OwnSettings<typeof gatewaySettings>;
  rightsCache: RightsCache;
  state: State;
  log: Log;
};

type State = Pick<Running, 'ready' | 'concerns'>;
type Sso = ReturnType<typeof createSsoRoutes>;
type Parts = ReturnType<typeof createParts>;

/** The parts of the gateway that read and answer requests. */
function createParts({ peers, settings }: Options) {
  const session = createSessionCookie(settings.publicUrl, settings.allowedOrigins);
  const flows = createFlowCookies(settings.publicUrl);
  const link = createLinkCookie(settings.publicUrl);
  const support = createSupportCookie(settings.publicUrl);
  const sso = createSsoRoutes({ sso: peers.sso, session, flows, link });
  const console = openConsole(settings.console);
  const paths = createPaths(settings.publicUrl, sso, console);
  const images = readOwnImages(settings);
  const brands = createPageBrands(peers.access, settings, images);
  const sendLogo = createLogos(peers, images);
  const answerIssuer = createIssuerRoutes({ sso: peers.sso, session, brands });
  return { session, support, link, sso, console, paths, brands, sendLogo, answerIssuer };
}

/**
 * The path of a sign-in in a browser, and the tenant of its provider or "". Undefined for all other
 * requests: their failures are answered as JSON.
 */
const createPageFinder =
  ({ sso, paths }: Parts) =>
  (request: IncomingMessage, thrown: unknown) => {
    if (!acceptsHtml(request) || thrown instanceof RoutingError) return undefined;
    const pathname = pathOf(request, paths);
    const signIn = sso.match(pathname);
    const tenant = signIn?.[1] ?? (isIssuerPage(pathname) ? '' : undefined);
    return tenant === undefined ? undefined : { pathname, tenant, isSignIn: signIn !== null };
  };

/** Creates the gateway's request listener, which traces, routes and answers every request. */
export function createRouter(options: Options) {
  const { settings, log } = options;
  const clientAddress = createClientAddress(settings.trustedProxies);
  const parts = createParts(options);
  const originOf = createOrigin(settings.publicUrl);
  const otherName = createOtherName(settings.publicUrl);
  const { paths, brands } = parts;
  const pageOf = createPageFinder(parts);
  const route = createRoute(options, parts);

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    span: Span,
  ): Promise<void> {
    const requestId = randomUUID();
    span.setAttribute('bailiwick.request_id', requestId);
    response.setHeader('x-request-id', requestId);
    const { 'user-agent': userAgent = '' } = request.headers;
    const origin = {
      requestId,
      ip: clientAddress(request),
      userAgent: userAgent.slice(0, 256),
      origin: originOf(request),
    };
    const isDirectory = isScim(pathOf(request, paths));
    // Only POST bodies are read, and those of SCIM.
    if (!isDirectory && request.method !== 'POST') stopReading(request, response);
    try {
      assertSingleHeaders(request);
      const location = otherName(request);
      if (location !== undefined) return void response.writeHead(307, { location }).end();
      await route(request, response, origin, span);
    } catch (thrown) {
      const error = toServiceError(thrown);
      markFailed(span, error.code);
      logFailure(log, { thrown, code: error.code, method: request.method, requestId });
      if (response.headersSent) return void response.destroy();
      stopReading(request, response);
      const status = thrown instanceof RoutingError ? thrown.status : undefined;
      if (isDirectory) return sendScimError(response, error, status);
      const page = pageOf(request, thrown);
      if (page) {
        const { pathname, tenant, isSignIn } = page;
        const root = rootFrom(pathname);
        const wayOn = isSignIn
          ? wayOnFrom(error, root, tenant)
          : { tryAgain: '', signIn: `${root}login` };
        const place = { brand: await brands.of(tenant, origin.ip), root, wayOn };
        sendErrorPage(request, response, error, requestId, place);
      } else sendError(response, error, requestId, status);
    }
  }

  return (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    traceRequest(request, response, settings.trustTraceparent, (span) =>
      answer(request, response, span),
    );
}

/** The path of a request below the public URL; "" if its URL is invalid. */
const pathOf = ({ url = '/' }: IncomingMessage, paths: ReturnType<typeof createPaths>): string =>
  paths.withoutPrefix(URL.parse(url, 'http://gateway')?.pathname ?? '');

/**
 * The public URL's path, which a proxy may keep or strip. Both work, even if that path begins like
 * one of our routes.
 */
function createPaths(publicUrl: string, sso: Sso, console: Console) {
  const prefix = new URL(publicUrl).pathname.replace(/\/+$/, '');
  const isServed = (pathname: string): boolean =>
    operations.get(pathname.slice(1))?.public === true ||
    isAuthzen(pathname, prefix) ||
    isScim(pathname) ||
    sso.match(pathname) !== null ||
    isIssuerPath(pathname) ||
    isPage(pathname) ||
    isLogo(pathname) ||
    console.has(pathname) ||
    isDocs(pathname);
  return {
    prefix,
    withoutPrefix: (pathname: string): string => {
      if (isMetadataBefore(pathname, prefix))
        return pathname.slice(0, pathname.length - prefix.length);
      return !isServed(pathname) && `${pathname}/`.startsWith(`${prefix}/`)
        ? pathname.slice(prefix.length) || '/'
        : pathname;
    },
  };
}

/** The handlers of the operations and of AuthZEN, which share a pipeline. */
function createRunners(
  { peers, settings, rightsCache }: Options,
  { session, support, link }: Parts,
) {
  const { publicUrl, tenantQuota: tenant } = settings;
  const cookies = { cookie: session, support, link };
  const pipeline = createPipeline({
    ...cookies,
    peers,
    authenticator: createAuthenticator(peers, rightsCache),
    quotas: createQuotas({ ...callQuotas[settings.limits as LimitProfile], tenant }),
    unknownKeys: settings.unknownKeys === 'ignore' ? 'ignore' : 'refuse',
  });
  return {
    runOperation: createOperationHandler(pipeline, cookies),
    authzen: createAuthzen(pipeline, publicUrl),
    answerScim: createScim(pipeline, publicUrl),
  };
}

/** Routes a request: to an operation, AuthZEN, an /auth route, a page or the API reference. */
function createRoute(options: Options, parts: Parts) {
  const { settings, state } = options;
  const { paths, brands, console } = parts;
  const { publicUrl, allowedOrigins } = settings;
  const { runOperation, authzen, answerScim } = createRunners(options, parts);
  const answerBrowser = createBrowserRoutes(parts, publicUrl);
  const cors = createCors(allowedOrigins);
  const unknownPath = `there is no such operation; ${publicUrl}/docs lists them all`;

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
    span: Span,
  ): Promise<void> => {
    const url = URL.parse(request.url ?? '/', 'http://gateway');
    if (!url) throw new RoutingError(404, unknownPath);
    const pathname = paths.withoutPrefix(url.pathname);
    const operation = operations.get(pathname.slice(1));
    if (operation?.public) {
      nameRequest(span, request, `/${operation.name}`);
      if (cors.allow(request, response)) return;
      return measureOperation(operation.name, () => {
        assertMethod(request, response, ['POST']);
        return runOperation(operation, request, response, origin);
      });
    }
    if (isAuthzen(pathname, paths.prefix)) {
      nameRequest(span, request, pathname);
      if (cors.allow(request, response)) return;
      assertMethod(request, response, authzen.methods(pathname));
      return authzen.handle(pathname, request, response, origin);
    }
    if (isScim(pathname)) {
      nameRequest(span, request, '/scim/v2/{tenant}');
      assertMethod(request, response, scimMethods);
      return answerScim({ request, response, pathname, search: url.search, origin });
    }
    if (await answerBrowser({ request, response, url, pathname, origin, span })) return;
    if (isBranded(pathname)) {
      assertMethod(request, response, ['GET', 'HEAD']);
      if (console.redirects(response, pathname, url, paths.prefix)) return;
      const brand = await brands.of(url.searchParams.get('tenant') ?? '', origin.ip);
      return sendPage(request, response, pathname, brand);
    }
    const send = readOnlyRoute(request, pathname, { prefix: paths.prefix, console, state });
    if (!send) throw new RoutingError(404, unknownPath);
    assertMethod(request, response, ['GET', 'HEAD']);
    return send(response);
  };
}

type BrowserRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** The path below the public URL. */
  pathname: string;
  origin: RequestOrigin;
  span: Span;
};

/** Answers logos, /auth routes and the OpenID provider. Returns false for all other paths. */
const createBrowserRoutes =
  ({ sso, sendLogo, answerIssuer }: Parts, publicUrl: string) =>
  async ({ request, response, url, pathname, origin, span }: BrowserRequest): Promise<boolean> => {
    // Before a language is kept: a logo is cached for all browsers, without cookies.
    if (isLogo(pathname)) {
      nameRequest(span, request, '/brand/{id}/logo');
      assertMethod(request, response, ['GET', 'HEAD']);
      const isSent = await sendLogo(request, response, { pathname, ip: origin.ip });
      if (!isSent) throw new RoutingError(404, 'there is no such logo');
      return true;
    }
    keepLanguage(request, response, publicUrl);
    const signIn = sso.match(pathname);
    if (signIn) {
      nameRequest(span, request, `/auth/{tenant}/{provider}/${signIn[3]}`);
      assertMethod(request, response, sso.methods(signIn));
      await sso.handle({ request, response, url, match: signIn, origin });
      return true;
    }
    if (!isIssuerPath(pathname)) return false;
    nameRequest(span, request, '/oauth');
    assertMethod(request, response, issuerMethods);
    await answerIssuer({ request, response, pathname, search: url.search, origin });
    return true;
  };

/** The sender of a file, of the API reference or of the readiness; undefined for other paths. */
function readOnlyRoute(
  request: IncomingMessage,
  pathname: string,
  { prefix, console, state }: { prefix: string; console: Console; state: State },
): ((response: ServerResponse) => void | Promise<void>) | undefined {
  if (isPage(pathname)) return (response) => sendPage(request, response, pathname);
  if (console.has(pathname)) return (response) => console.send(request, response, pathname, prefix);
  if (isDocs(pathname)) return (response) => sendDocs(request, response, pathname, prefix);
  // Clients that do not ask for HTML get the JSON 404.
  if (pathname === '/' && acceptsHtml(request))
    return (response) => sendHomePage(request, response, prefix, console.isServed);
  // Password managers open this to change a password.
  if (pathname === '/.well-known/change-password') {
    const location = `${prefix}/${console.isServed ? 'console/account/security' : 'login'}`;
    return (response) => void response.writeHead(303, { location }).end();
  }
  if (pathname === '/readyz') return (response) => sendReadiness(response, state);
  return undefined;
}

type Failure = {
  thrown: unknown;
  code: string;
  method: string | undefined;
  requestId: string;
};

function logFailure(log: Log, { thrown: failure, code, method, requestId }: Failure): void {
  const thrown = failure instanceof SignInFailure ? failure.cause : failure;
  // A service logs the errors that it returns. All other errors appear only here.
  const answered =
    thrown instanceof ServiceError ||
    (thrown instanceof ConnectError && thrown.cause === undefined);
  if (!answered) log.error('a request failed', { error: thrown, requestId });
  // Makes the RequestID findable even if no service was called. The path is not logged: clients
  // control it.
  log.info('refused', { method, code, requestId });
}
