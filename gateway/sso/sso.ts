import type { IncomingMessage, ServerResponse } from 'node:http';
import { platformPlace, serviceCaller, tokenHash, tokenKind } from '@bailiwick/contract';
import { invalid, toServiceError } from '@bailiwick/errors';
import {
  type FindWayOnRequestSchema,
  SignIn,
} from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { contextFor, readBody } from '@bailiwick/wire';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { type Client, createClient, type Transport } from '@connectrpc/connect';
import { assertContent, formType } from '../http/content.ts';
import { holdLarge } from '../http/large-bodies.ts';
import { sendFormPage } from '../pages/form-page.ts';
import { chosenLanguage } from '../pages/page-language.ts';
import { acceptsHtml } from '../pages/pages.ts';
import { SignInFailure } from '../pages/sign-in-failure.ts';
import type { RequestOrigin } from '../session/authenticate.ts';
import type { FlowCookies, LinkCookie, SessionCookie } from '../session/cookies.ts';

const route = /^\/auth\/([^/]+)\/([^/]+)\/(login|callback|metadata)$/;
const maxFormBytes = 256 * 1024;
const methods: Record<string, readonly string[]> = {
  login: ['GET'],
  callback: ['GET', 'POST'],
  metadata: ['GET', 'HEAD'],
};

type Options = {
  sso: Transport;
  session: SessionCookie;
  flows: FlowCookies;
  link: LinkCookie;
};
/** A request on one of the /auth routes. */
type AuthRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  match: RegExpExecArray;
  origin: RequestOrigin;
};

/** The provider of a route. */
const placeIn = ([, tenant = '', provider = '']: RegExpExecArray) => ({
  tenant: tenant === platformPlace ? '' : tenant,
  provider,
});

/**
 * The gateway's own identity, since no user is signed in yet. The request id shown to the user
 * appears in every log.
 */
const inOwnName = ({ requestId }: RequestOrigin) => ({
  contextValues: contextFor(serviceCaller('gateway', requestId)),
});

type ProviderAnswer = MessageInitShape<typeof FindWayOnRequestSchema>;

/**
 * Where a browser goes on after a failure. @throws the failure, for a page that leads on if sso knows
 * where to
 */
const createWayOn =
  (signIn: Client<typeof SignIn>, session: SessionCookie) =>
  async (answer: ProviderAnswer, thrown: unknown, { request, origin }: AuthRequest) => {
    const { code, reason } = toServiceError(thrown);
    // After a limit the flow still waits: the page can be loaded again.
    if (!acceptsHtml(request) || code === 'resource_exhausted') throw thrown;
    const token = session.ofVisitor(request);
    const sessionHash =
      token !== undefined && tokenKind(token) === 'session' ? tokenHash(token) : new Uint8Array();
    const way = await signIn
      .findWayOn({ ...answer, reason, sessionHash }, inOwnName(origin))
      // sso may be away, or of the previous version.
      .catch(() => ({ redirect: '', returnTo: '' }));
    if (way.redirect === '') throw new SignInFailure(thrown, way.returnTo);
    return { redirect: way.redirect, token: '', link: '' };
  };

/** The documented routes for browsers that sign in (not JSON operations), and our SAML metadata. */
export function createSsoRoutes({ sso, session, flows, link }: Options) {
  const signIn = createClient(SignIn, sso);
  const goOn = createWayOn(signIn, session);

  async function login({ request, response, url, match, origin }: AuthRequest): Promise<void> {
    const { ip, userAgent } = origin;
    const [returnTo = '', another] = url.searchParams.getAll('return_to');
    if (another !== undefined) throw duplicateParameter();
    const restarted = url.searchParams.has('again');
    const { redirect, form, flow, binding } = await signIn
      .start(
        {
          ...placeIn(match),
          returnTo,
          ip,
          userAgent,
          uiLocale: chosenLanguage(request),
          restarted,
        },
        inOwnName(origin),
      )
      .catch((thrown: unknown) => {
        throw new SignInFailure(thrown, returnTo);
      });
    flows.set(request, response, flow, binding);
    if (Object.keys(form).length > 0)
      sendFormPage(request, response, { url: redirect, fields: form });
    else sendRedirect(response, redirect);
  }

  async function callback(authRequest: AuthRequest): Promise<void> {
    const { request, response, url, match, origin } = authRequest;
    const { ip, userAgent } = origin;
    const parameters = readOnce(
      request.method === 'POST' ? await readForm(request, response, ip) : url.searchParams,
    );
    const bindings = flows.read(request);
    const answer = { ...placeIn(match), parameters, bindings, ip };
    const finished = await signIn
      .finish({ ...answer, userAgent }, inOwnName(origin))
      .catch((thrown: unknown) => goOn(answer, thrown, authRequest));
    if (finished.token !== '') session.set(response, finished.token);
    if (finished.link !== '') link.set(response, finished.link);
    sendRedirect(response, finished.redirect);
  }

  async function metadata({ response, match, origin }: AuthRequest): Promise<void> {
    const { xml } = await signIn.metadata({ ...placeIn(match), ip: origin.ip }, inOwnName(origin));
    sendMetadata(response, xml);
  }

  const steps: Record<string, (authRequest: AuthRequest) => Promise<void>> = {
    login,
    callback,
    metadata,
  };

  return {
    match: (pathname: string) => route.exec(pathname),
    methods: ({ 3: step = '' }: RegExpExecArray): readonly string[] => methods[step] ?? [],

    async handle(authRequest: AuthRequest): Promise<void> {
      await steps[authRequest.match[3] ?? '']?.(authRequest);
    },
  };
}

/**
 * Redirects. Both the old and the new address may contain a code: neither may be cached or sent as
 * a Referer.
 */
function sendRedirect(response: ServerResponse, location: string): void {
  response
    .writeHead(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    .end();
}

function sendMetadata(response: ServerResponse, xml: string): void {
  const type = 'application/samlmetadata+xml';
  response.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(xml);
}

async function readForm(
  request: IncomingMessage,
  response: ServerResponse,
  ip: string,
): Promise<URLSearchParams> {
  assertContent(request, formType, 'application/x-www-form-urlencoded');
  const body = await readBody(request, response, maxFormBytes, holdLarge(response, ip));
  if (!body)
    throw invalid('the form must be at most 256 KiB', 'BODY_TOO_LARGE', { Limit: '256 KiB' });
  return new URLSearchParams(body.toString());
}

const duplicateParameter = () => invalid('duplicate parameter', 'DUPLICATE_PARAMETER');

/** Rejects duplicate parameters: it is ambiguous which one counts. */
function readOnce(fields: URLSearchParams): Record<string, string> {
  if (new Set(fields.keys()).size !== fields.size) throw duplicateParameter();
  return Object.fromEntries(fields);
}
