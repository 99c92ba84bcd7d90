import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, operations } from '@bailiwick/contract';
import { invalid, toServiceError } from '@bailiwick/errors';
import { sendJson } from '../http/errors.ts';
import { measureOperation } from '../http/telemetry.ts';
import type { Pipeline } from '../operations/operations.ts';
import type { RequestOrigin } from '../session/authenticate.ts';
import { type Ask, evaluateAll, evaluateOne, searchActions, searchSubjects } from './answers.ts';
import type { Json, Question } from './requests.ts';

// The OpenID AuthZEN Authorization API 1.0: the Access operations in another form, with their
// credentials, permissions and limits. docs/authzen.md describes it. The sections are those of
// https://openid.net/specs/authorization-api-1_0.html.

type Endpoint = {
  /** Its name in the metadata (§9.1.1). */
  parameter: string;
  operation: Operation;
  answer: (json: Json, ask: Ask) => Promise<object>;
};

const endpoints = new Map<string, Endpoint>([
  [
    '/access/v1/evaluation',
    {
      parameter: 'access_evaluation_endpoint',
      operation: operationOf('Access_Check'),
      answer: evaluateOne,
    },
  ],
  [
    '/access/v1/evaluations',
    {
      parameter: 'access_evaluations_endpoint',
      operation: operationOf('Access_Check'),
      answer: evaluateAll,
    },
  ],
  [
    '/access/v1/search/subject',
    {
      parameter: 'search_subject_endpoint',
      operation: operationOf('Access_ListSubjects'),
      answer: searchSubjects,
    },
  ],
  [
    '/access/v1/search/action',
    {
      parameter: 'search_action_endpoint',
      operation: operationOf('Access_ListPermissions'),
      answer: searchActions,
    },
  ],
]);

const metadataPath = '/.well-known/authzen-configuration';

/** Whether a path is that of an endpoint, or of the metadata of a public URL with this path. */
export const isAuthzen = (pathname: string, prefix: string): boolean =>
  endpoints.has(pathname) || pathname === metadataPath || pathname === metadataPath + prefix;

/** Serves the paths that `isAuthzen` accepts. */
export function createAuthzen({ receive, prepare }: Pipeline, publicUrl: string) {
  const metadata = metadataOf(publicUrl);

  async function answer(
    endpoint: Endpoint,
    request: IncomingMessage,
    response: ServerResponse,
    origin: RequestOrigin,
  ): Promise<void> {
    const context = await receive(endpoint.operation, request, response, origin);
    const ask: Ask = async (name, json, questions) => {
      try {
        const call = await prepare(operationOf(name), { ...context, json });
        return await call.send();
      } catch (error) {
        throw withRequestNames(error, questions);
      }
    };
    sendJson(response, 200, await endpoint.answer(context.json, ask));
  }

  return {
    methods: (pathname: string) => (endpoints.has(pathname) ? ['POST'] : ['GET', 'HEAD']),

    async handle(
      pathname: string,
      request: IncomingMessage,
      response: ServerResponse,
      origin: RequestOrigin,
    ): Promise<void> {
      const endpoint = endpoints.get(pathname);
      // Metadata can be cached (§11.9).
      if (!endpoint) return sendJson(response, 200, metadata, 'public, max-age=3600');
      // The client gets its own identifier back (§10.1.3). The RequestID of an error is ours.
      const { 'x-request-id': requestId } = request.headers;
      if (requestId !== undefined) response.setHeader('x-request-id', requestId);
      await measureOperation(endpoint.operation.name, () =>
        answer(endpoint, request, response, origin),
      );
    },
  };
}

/** The metadata of the endpoints below a URL (§9.1.1). */
function metadataOf(url: string): object {
  const parameters = Array.from(
    endpoints,
    ([path, { parameter }]) => [parameter, `${url}${path}`] as const,
  );
  return { policy_decision_point: url, ...Object.fromEntries(parameters) };
}

function operationOf(name: string): Operation {
  const operation = operations.get(name);
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
}

const requestNames = {
  Permission: 'action.name',
  Resource: 'resource',
  'Page.Cursor': 'page.token',
  'Page.Limit': 'page.limit',
};

/** Replaces the operation's field names in an error by those of the AuthZEN request. */
function withRequestNames(thrown: unknown, questions: readonly Question[]): unknown {
  const error = toServiceError(thrown);
  if (error.code !== 'invalid_argument') return thrown;
  const messages = error.messages.map((message) =>
    message.replace(
      /^(?:Checks\[(\d+)\]\.)?(Permission|Resource|Page\.Cursor|Page\.Limit)\b/,
      (_, index: string | undefined, name: keyof typeof requestNames) =>
        `${questions[Number(index ?? 0)]?.at ?? ''}${requestNames[name]}`,
    ),
  );
  return invalid(messages, error.reason);
}
