import type { DescMessage, DescService } from '@bufbuild/protobuf';
import { type Operation, readOperation } from '../operation.ts';
import { json, operationPath } from './paths.ts';
import { routes } from './routes.ts';
import { comment, schemaCollection } from './schemas.ts';
import type { Json, JsonObject } from './types.ts';

/** The OpenAPI document of the interface, the same text for the same proto files. */
export function openApiDocument(services: readonly DescService[], errorResponse: DescMessage): JsonObject {
  const operations = services
    .flatMap((service) => service.methods)
    .map((method) => readOperation(method))
    .filter((operation) => operation.public);
  return {
    openapi: '3.0.0',
    info: {
      title: 'Bailiwick',
      version: '1.0.0',
      description: 'Multi-tenant identity and access management with notification delivery. Every operation is one POST with a JSON body.',
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: tags(operations),
    paths: sorted({
      ...Object.fromEntries(operations.map((operation) => [`/${operation.name}`, operationPath(operation)])),
      ...routes,
    }),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A session token or a bot key.' },
      },
      responses: failures(),
      schemas: schemas(operations, errorResponse),
    },
  };
}

function schemas(operations: readonly Operation[], errorResponse: DescMessage): JsonObject {
  const collection = schemaCollection();
  collection.add('ErrorResponse', errorResponse, 'response');
  for (const { name, method, nullWhenAbsent } of operations) {
    collection.add(`${name}Req`, method.input, 'request');
    collection.add(`${name}Res`, method.output, 'response', nullWhenAbsent);
  }
  return sorted(collection.all);
}

function failures(): JsonObject {
  const failure = (description: string, headers?: Json) => ({
    description,
    ...(headers === undefined ? {} : { headers }),
    content: json('ErrorResponse'),
  });
  const seconds = { schema: { type: 'integer' }, description: 'Seconds to wait.' };
  return {
    BadRequest: failure('Bad request: invalid JSON, failed validation, or a state that does not allow it.'),
    Unauthorized: failure('Unauthorized: no credential, or one that is malformed, expired or revoked.'),
    Forbidden: failure('Forbidden: the caller lacks the permission.'),
    TooManyRequests: failure('Too many requests.', { 'Retry-After': seconds }),
    InternalServerError: failure('Internal server error.'),
  };
}

function tags(operations: readonly Operation[]): Json {
  const areas = new Set(operations.filter(({ credential }) => credential !== 'worker').map(({ service }) => service));
  return [
    ...[...areas].map((service) => ({ name: service.name, description: comment(service) })),
    { name: 'internal', description: 'Tasks that the delivery worker replays. Clients do not call them.' },
  ].sort((a, b) => compare(a.name, b.name));
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => compare(a, b)));
}

/** By code unit: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
