import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type LimitProfile, platformPlace } from '@bailiwick/contract';
import { httpStatus, ServiceError, toServiceError } from '@bailiwick/errors';
import { type Log, markFailed, type Running } from '@bailiwick/process';
import { type OwnSettings, stopReading } from '@bailiwick/wire';
import { ConnectError } from '@connectrpc/connect';
import type { Span } from '@opentelemetry/api';
import { createAuthzen } from './authzen/authzen.ts';
import { openConsole } from './documents/console.ts';
import type { Follow } from './follow/follow.ts';
import type { createClientAddress } from './http/client-address.ts';
import { assertSingleHeaders } from './http/content.ts';
import { createCors } from './http/cors.ts';
import { sendError } from './http/errors.ts';
import { createOrigin, createOtherName } from './http/local-names.ts';
import { assertMethod, RoutingError } from './http/routing-error.ts';
import { measureOperation, nameRequest, traceRequest } from './http/telemetry.ts';
import { createIssuerRoutes, isIssuerPage, isMetadataBefore } from './oauth/issuer.ts';
import { createOperationHandler, createPipeline } from './operations/operations.ts';
import { callQuotas, createQuotas } from './operations/quotas.ts';
import type { ErrorKind } from './pages/error-keys.ts';
import { sendErrorPage } from './pages/error-page.ts';
import { createLogos } from './pages/logos.ts';
import { sendMissingPage } from './pages/missing-page.ts';
import { createPageBrands, readOwnImages } from './pages/page-brands.ts';
import { keepLanguage } from './pages/page-language.ts';
import { acceptsHtml, rootFrom } from './pages/pages.ts';
import { nextStepsOf, SignInFailure } from './pages/sign-in-failure.ts';
import { createSignInTargets } from './pages/sign-in-target.ts';
import type { Peers } from './peers.ts';
import { createRoutes, type RoutedRequest } from './routes.ts';
import { createScim, isScim, sendScimError } from './scim/scim.ts';
import type { Authenticator } from './session/authenticate.ts';
import {
  createFlowCookies,
  createLinkCookie,
  createSessionCookie,
  createSupportCookie,
} from './session/cookies.ts';
import type { gatewaySettings } from './settings.ts';
import { createSsoRoutes } from './sso/sso.ts';

type Options = {
  peers: Peers;
  settings: OwnSettings<typeof gatewaySettings>;
  authenticator: Authenticator;
  answerFollow: Follow['answer'];
  /** The path of the public URL, without a slash at its end. */
  prefix: string;
  addressOf: ReturnType<typeof createClientAddress>;
  state: State;
  log: Log;
};

type State = Pick<Running, 'ready' | 'concerns'>;
type FindRoute = ReturnType<typeof createRoutes>;
type Parts = ReturnType<typeof createParts>;

/** The parts of the gateway that read and answer requests. */
function createParts({ peers, settings }: Options) {
  const session = createSessionCookie(settings.publicUrl, settings.allowedOrigins);
  const flows = createFlowCookies(settings.publicUrl);
  const link = createLinkCookie(settings.publicUrl);
  const support = createSupportCookie(settings.publicUrl);
  const sso = createSsoRoutes({ sso: peers.sso, session, flows, link });
  const images = readOwnImages(settings);
  const brands = createPageBrands(peers.access, settings, images);
  const findTarget = createSignInTargets(peers.sso, settings.brandName);
  const console = openConsole(settings.console, brands.own);
  const sendLogo = createLogos(peers, images);
  const answerIssuer = createIssuerRoutes({ sso: peers.sso, session, brands });
  return { session, support, link, sso, console, brands, findTarget, sendLogo, answerIssuer };
}

/**
 * The tenant of the provider of a sign-in in a browser, or "", and the kind of its errors. Undefined
 * for all other requests: their failures are answered as JSON.
 */
const createPageFinder =
  ({ sso }: Parts) =>
  (request: IncomingMessage, pathname: string, thrown: unknown) => {
    if (!acceptsHtml(request) || thrown instanceof RoutingError) return undefined;
    const signIn = sso.match(pathname);
    const tenant = signIn?.[1] ?? (isIssuerPage(pathname) ? '' : undefined);
    if (tenant === undefined) return undefined;
    const isSignIn = signIn !== null;
    return { tenant, isSignIn, kind: isSignIn ? providerKind(tenant) : ('call' as const) };
  };

const providerKind = (tenant: string): ErrorKind =>
  tenant === platformPlace ? 'social' : 'organisation';

/**
 * Whether a person opens the address in a browser, which names XHTML too. Programs such as Java's
 * HttpURLConnection name HTML by default, and get JSON.
 */
const isBrowsing = ({ method, headers: { accept = '' } }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /\bapplication\/xhtml\+xml\b/.test(accept);

type FailedRequest = Omit<RoutedRequest, 'url'> & { thrown: unknown; isDirectory: boolean };

/** Answers a request that failed: in the form of SCIM, as a page, or as an ErrorResponse. */
function createFailures({ log }: Options, parts: Parts, prefix: string) {
  const pageOf = createPageFinder(parts);
  return async (
    { request, response, pathname, origin, thrown, isDirectory }: FailedRequest,
    span: Span,
  ): Promise<void> => {
    const { requestId } = origin;
    const error = toServiceError(thrown);
    markFailed(span, error.code);
    logFailure(log, { thrown, code: error.code, method: request.method, requestId });
    if (response.headersSent) return void response.destroy();
    stopReading(request, response);
    const status = thrown instanceof RoutingError ? thrown.status : undefined;
    if (isDirectory) return sendScimError(response, error, status);
    const page = pageOf(request, pathname, thrown);
    if (page) {
      const { tenant, isSignIn, kind } = page;
      const root = rootFrom(pathname);
      const nextSteps = isSignIn
        ? nextStepsOf(error, root, tenant)
        : { tryAgain: '', signIn: `${root}login` };
      const context = {
        brand: await parts.brands.of(tenant, origin.ip),
        root,
        nextSteps,
        kind,
      };
      sendErrorPage(request, response, error, requestId, context);
    } else if (isBrowsing(request)) {
      const brand = await parts.brands.of('', origin.ip);
      const failure = { error, status: status ?? httpStatus[error.code], requestId };
      sendMissingPage(request, response, failure, { brand, root: `${prefix}/` });
    } else sendError(response, error, requestId, status);
  };
}

/** Creates the gateway's request listener, which traces, routes and answers every request. */
export function createRouter(options: Options) {
  const { settings, prefix, addressOf } = options;
  const parts = createParts(options);
  const originOf = createOrigin(settings.publicUrl);
  const otherName = createOtherName(settings.publicUrl);
  const sendFailure = createFailures(options, parts, prefix);
  const findRoute = createRoutes({
    ...parts,
    ...createRunners(options, parts),
    prefix,
    answerFollow: options.answerFollow,
    state: options.state,
  });
  const pathOf = createPaths(prefix, findRoute);
  const route = createRouting(settings, findRoute);

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
      ip: addressOf(request),
      userAgent: userAgent.slice(0, 256),
      origin: originOf(request),
    };
    const pathname = pathOf(request);
    const isDirectory = isScim(pathname);
    // Only POST bodies are read, and those of SCIM.
    if (!isDirectory && request.method !== 'POST') stopReading(request, response);
    try {
      assertSingleHeaders(request);
      const location = otherName(request);
      if (location !== undefined) return void response.writeHead(307, { location }).end();
      await route({ request, response, pathname, origin }, span);
    } catch (thrown) {
      await sendFailure({ request, response, pathname, origin, thrown, isDirectory }, span);
    }
  }

  return (request: IncomingMessage, response: ServerResponse): Promise<void> =>
    traceRequest(request, response, settings.trustTraceparent, (span) =>
      answer(request, response, span),
    );
}

/**
 * The public URL's path, which a proxy may keep or strip. Both work, even if that path begins like
 * one of our routes.
 */
const createPaths =
  (prefix: string, findRoute: FindRoute) =>
  (request: IncomingMessage): string => {
    const pathname = URL.parse(request.url ?? '/', 'http://gateway')?.pathname ?? '';
    if (isMetadataBefore(pathname, prefix))
      return pathname.slice(0, pathname.length - prefix.length);
    return !findRoute(pathname, request) && `${pathname}/`.startsWith(`${prefix}/`)
      ? pathname.slice(prefix.length) || '/'
      : pathname;
  };

/** The handlers of the operations, of AuthZEN and of SCIM, which share a pipeline. */
function createRunners(
  { peers, settings, authenticator }: Options,
  { session, support, link }: Parts,
) {
  const { publicUrl, tenantQuota: tenant } = settings;
  const cookies = { cookie: session, support, link };
  const pipeline = createPipeline({
    ...cookies,
    peers,
    authenticator,
    quotas: createQuotas({ ...callQuotas[settings.limits as LimitProfile], tenant }),
    unknownKeys: settings.unknownKeys === 'ignore' ? 'ignore' : 'refuse',
  });
  return {
    runOperation: createOperationHandler(pipeline, cookies),
    authzen: createAuthzen(pipeline, publicUrl),
    answerScim: createScim(pipeline, publicUrl),
  };
}

/** Sends a request to its route. @throws RoutingError if nothing is served at its path */
function createRouting({ publicUrl, allowedOrigins }: Options['settings'], findRoute: FindRoute) {
  const cors = createCors(allowedOrigins);
  const unknownPath = `there is no such operation; ${publicUrl}/docs lists them all`;

  return async (routedRequest: Omit<RoutedRequest, 'url'>, span: Span): Promise<void> => {
    const { request, response, pathname } = routedRequest;
    const url = URL.parse(request.url ?? '/', 'http://gateway');
    const route = url && findRoute(pathname, request);
    if (!route) throw new RoutingError(404, unknownPath);
    if (route.name !== undefined) nameRequest(span, request, route.name);
    if (route.isForOrigins && cors.allow(request, response)) return;
    if (route.keepsLanguage) keepLanguage(request, response, publicUrl);
    const run = async (): Promise<void> => {
      assertMethod(request, response, route.methods);
      await route.handle({ ...routedRequest, url });
    };
    await (route.operation === undefined ? run() : measureOperation(route.operation, run));
  };
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
  const isLogged =
    thrown instanceof ServiceError ||
    (thrown instanceof ConnectError && thrown.cause === undefined);
  if (!isLogged) log.error('a request failed', { error: thrown, requestId });
  // Makes the RequestID findable even if no service was called. The path is not logged: clients
  // control it.
  log.info('refused', { method, code, requestId });
}
