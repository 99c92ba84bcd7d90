import { code, fence, table } from '../markdown.ts';
import {
  type Api,
  type Call,
  callsOf,
  nameOf,
  type Operation,
  type Parameter,
  type Response,
} from './api.ts';
import { type LinkTo, recordTable, requestTable } from './fields.ts';

const json = 'application/json';

/** The section of one operation: task, callers, request, response, errors and an example. */
export function operationSection(api: Api, call: Call, link: LinkTo): string {
  const { operation, method, path } = call;
  return [
    `## ${operation.operationId}`,
    code(`${method} ${path}`),
    operation.description,
    ...parametersOf(api, call.parameters),
    ...requestOf(api, call),
    '**Response**',
    ...responseOf(api, operation.responses, link),
    ...exampleOf(call),
    '**Errors**',
    ...errorsOf(operation, link),
  ].join('\n\n');
}

/** Parameters of the address and headers. The body's fields are not among them. */
function parametersOf(api: Api, parameters: readonly Parameter[]): string[] {
  const rows = parameters
    .map((one) => (one.$ref ? (api.components.parameters[nameOf(one.$ref)] ?? one) : one))
    .filter(({ name }) => name !== 'Idempotency-Key')
    .map((one) => [code(one.name), one.in, one.description ?? '']);
  return rows.length === 0 ? [] : ['**Parameters**', table(['Name', 'In', 'About'], rows)];
}

function requestOf(api: Api, { operation, parameters }: Call): string[] {
  const body = operation.requestBody?.content ?? {};
  const [type, media] = Object.entries(body)[0] ?? [];
  if (type === undefined) return [];
  const takesKey = parameters.some(({ $ref = '' }) => nameOf($ref) === 'IdempotencyKey');
  return [
    '**Request**',
    type === json ? requestTable(api, media?.schema ?? {}) : `A body of the type ${code(type)}.`,
    ...(takesKey ? ['Takes an `Idempotency-Key`: a repetition changes nothing.'] : []),
  ];
}

function responseOf(api: Api, responses: Record<string, Response>, link: LinkTo): string[] {
  const redirect = responses['303'];
  if (redirect) return ['303, a redirect of the browser. The body has no fields.'];
  const { content = {} } = responses['200'] ?? {};
  const media = content[json];
  if (!media) return [`A body of the type ${Object.keys(content).map(code).join(' or ')}.`];
  return [recordTable(api, media.schema ?? {}, link)];
}

/** A call on the command line and the body of its answer. */
function exampleOf({ operation, path }: Call): string[] {
  const request = operation.requestBody?.content[json];
  if (!request) return [];
  const lines = [
    `curl "$api${path}"`,
    "  -H 'Content-Type: application/json'",
    ...(operation.security.length > 0 ? ['  -H "Authorization: Bearer $token"'] : []),
    `  -d '${JSON.stringify(request.example ?? {}, undefined, 2).replaceAll("'", "'\\''")}'`,
  ];
  const answer = Object.entries(operation.responses['200']?.content ?? {});
  return [
    '**Example**',
    fence('sh', lines.join(' \\\n')),
    ...answer.map(([type, { example }]) =>
      type === json
        ? fence('json', JSON.stringify(example ?? {}, undefined, 2))
        : fence('txt', String(example).trimEnd().replaceAll('\r', '')),
    ),
  ];
}

function errorsOf({ responses }: Operation, link: LinkTo): string[] {
  const errors = Object.entries(responses).filter(([status]) => status >= '400');
  // The examples of shared responses are in the overview.
  const examples = errors.flatMap(([, { content = {} }]) =>
    examplesOf(Object.values(content[json]?.examples ?? {})),
  );
  const statuses = errors.map(([status]) => status).join(', ');
  return [
    `${statuses}: [what each means](/api/index.md#errors). The body is an [ErrorResponse](${link('ErrorResponse')}).`,
    ...details('Example of 400', examples),
  ];
}

/** The meaning of each status, and example responses that all operations share. */
export function errorsSection(api: Api, link: LinkTo): string {
  const shared = [...statusesOf(api)].map(([status, name]) => {
    const { description, content = {} } = api.components.responses[name] ?? { description: '' };
    return { status, description, examples: Object.values(content[json]?.examples ?? {}) };
  });
  return [
    '## Errors',
    `The body of every error is an [ErrorResponse](${link('ErrorResponse')}).`,
    table(
      ['Status', 'When'],
      shared.map(({ status, description }) => [status, description]),
    ),
    ...shared.flatMap(({ status, examples }) =>
      details(`Examples of ${status}`, examplesOf(examples)),
    ),
  ].join('\n\n');
}

/** The shared responses with their statuses, as the operations use them. */
function statusesOf(api: Api): Map<string, string> {
  const uses = callsOf(api)
    .flatMap(({ operation }) => Object.entries(operation.responses))
    .flatMap(([status, { $ref }]) => ($ref ? [[status, nameOf($ref)] as const] : []))
    .sort(([a], [b]) => a.localeCompare(b));
  return new Map(uses);
}

const examplesOf = (examples: ReadonlyArray<{ summary: string; value: unknown }>) =>
  examples.flatMap(({ summary, value }) => [
    `${summary}:`,
    fence('json', JSON.stringify(value, undefined, 2)),
  ]);

const details = (title: string, blocks: readonly string[]) =>
  blocks.length > 0 ? [`::: details ${title}`, ...blocks, ':::'] : [];
