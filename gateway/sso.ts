import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignIn } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { invalid, ServiceError, toServiceError } from '@bailiwick/shared/errors.ts';
import type { Log } from '@bailiwick/shared/log.ts';
import { asService } from '@bailiwick/shared/rpc.ts';
import { readBody } from '@bailiwick/shared/serve.ts';
import { ConnectError, createClient, type Transport } from '@connectrpc/connect';
import type { Origin } from './authenticate.ts';
import type { FlowCookies, SessionCookie } from './cookies.ts';
import { sendError } from './errors.ts';
import { sendErrorPage, sendFormPage } from './pages.ts';

const route = /^\/auth\/([^/]+)\/([^/]+)\/(login|callback|metadata)$/;
const maxFormBytes = 256 * 1024;
const methods: Record<string, readonly string[]> = { login: ['GET'], callback: ['GET', 'POST'], metadata: ['GET', 'HEAD'] };

type Options = { sso: Transport; session: SessionCookie; flows: FlowCookies; log: Log };
/** A request on such a route. */
export type Visit = { request: IncomingMessage; response: ServerResponse; url: URL; match: RegExpExecArray; origin: Origin };

/** The three documented routes that are no JSON operations, for browsers that sign in, and our SAML metadata. */
export function createSsoRoutes({ sso, session, flows, log }: Options) {
  const signIn = createClient(SignIn, asService(sso, 'gateway'));

  async function login({ request, response, url, match: [, tenant = '', provider = ''], origin: { ip, userAgent } }: Visit): Promise<void> {
    const returnTo = url.searchParams.get('return_to') ?? '';
    const { redirect, form, flow, binding } = await signIn.start({ tenant, provider, returnTo, ip, userAgent });
    flows.set(request, response, flow, binding);
    if (Object.keys(form).length > 0) sendFormPage(response, { url: redirect, fields: form });
    else sendOn(response, redirect);
  }

  async function callback({ request, response, url, match: [, tenant = '', provider = ''], origin: { ip, userAgent } }: Visit): Promise<void> {
    const parameters = readOnce(request.method === 'POST' ? await readForm(request) : url.searchParams);
    const bindings = flows.read(request);
    const { redirect, token, flow } = await signIn.finish({ tenant, provider, parameters, bindings, ip, userAgent });
    if (flow !== '') flows.clear(response, flow);
    if (token !== '') session.set(response, token);
    sendOn(response, redirect);
  }

  async function metadata({ response, match: [, tenant = '', provider = ''], origin: { ip } }: Visit): Promise<void> {
    const { xml } = await signIn.metadata({ tenant, provider, ip });
    response.writeHead(200, { 'content-type': 'application/samlmetadata+xml', 'x-content-type-options': 'nosniff' }).end(xml);
  }

  const steps: Record<string, (visit: Visit) => Promise<void>> = { login, callback, metadata };

  return {
    match: (pathname: string) => route.exec(pathname),
    methods: ({ 3: step = '' }: RegExpExecArray): readonly string[] => methods[step] ?? [],

    async handle(visit: Visit): Promise<void> {
      try {
        await steps[visit.match[3] ?? '']?.(visit);
      } catch (thrown) {
        // What a service answered stands in its own log, what none answered nowhere else.
        if (!(thrown instanceof ServiceError || thrown instanceof ConnectError))
          log.error('a sign-in failed', { error: thrown, requestId: visit.origin.requestId });
        answerFailure(visit, toServiceError(thrown));
      }
    },
  };
}

/** The address may have a code in it, and the one before has: neither is kept, nor told to whoever comes next. */
function sendOn(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).end();
}

function answerFailure({ request, response, origin }: Visit, error: ServiceError): void {
  if (/\btext\/html\b/.test(request.headers.accept ?? '')) sendErrorPage(response, error, origin.requestId);
  else sendError(response, error, origin.requestId);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request, maxFormBytes);
  if (!body) throw invalid('the form must be at most 256 KiB');
  return new URLSearchParams(body.toString());
}

/** Which of two fields of one name counts, nobody can tell. */
function readOnce(fields: URLSearchParams): Record<string, string> {
  if (new Set(fields.keys()).size !== fields.size) throw invalid('a field is there twice');
  return Object.fromEntries(fields);
}
