import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignIn } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { invalid, type ServiceError, toServiceError } from '@bailiwick/shared/errors.ts';
import { asService } from '@bailiwick/shared/rpc.ts';
import { readBody } from '@bailiwick/shared/serve.ts';
import { createClient, type Transport } from '@connectrpc/connect';
import { sendError } from './errors.ts';
import { sendErrorPage } from './pages.ts';

const route = /^\/auth\/([^/]+)\/([^/]+)\/(login|callback)$/;
const maxFormBytes = 256 * 1024;

/** The three documented routes that are no JSON operations: a browser comes here and is sent on with 303. */
export function createSsoRoutes(sso: Transport) {
  const signIn = createClient(SignIn, asService(sso, 'gateway'));

  async function target(request: IncomingMessage, url: URL, [, tenant = '', provider = '', step]: RegExpExecArray): Promise<string> {
    if (step === 'login') return (await signIn.start({ tenant, provider, returnTo: url.searchParams.get('return_to') ?? '' })).redirect;
    const parameters = request.method === 'POST' ? await readForm(request) : url.searchParams;
    return (await signIn.finish({ tenant, provider, parameters: Object.fromEntries(parameters) })).redirect;
  }

  return {
    match: (pathname: string) => route.exec(pathname),
    methods: (match: RegExpExecArray) => (match[3] === 'login' ? ['GET'] : ['GET', 'POST']),

    async handle(request: IncomingMessage, response: ServerResponse, url: URL, match: RegExpExecArray, requestId: string): Promise<void> {
      try {
        response.writeHead(303, { location: await target(request, url, match), 'cache-control': 'no-store' }).end();
      } catch (thrown) {
        answerFailure(request, response, toServiceError(thrown), requestId);
      }
    },
  };
}

function answerFailure(request: IncomingMessage, response: ServerResponse, error: ServiceError, requestId: string): void {
  if (/\btext\/html\b/.test(request.headers.accept ?? '')) sendErrorPage(response, error, requestId);
  else sendError(response, error, requestId);
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request, maxFormBytes);
  if (!body) throw invalid('the form must be at most 256 KiB');
  return new URLSearchParams(body.toString());
}
