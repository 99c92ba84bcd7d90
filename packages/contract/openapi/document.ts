import type { DescField, DescMessage, DescService } from '@bufbuild/protobuf';
import { type Operation, readOperation } from '../operation.ts';
import { securitySchemes } from './access.ts';
import { sharedFailures } from './failures.ts';
import { operationPath, parameters } from './paths.ts';
import { routes } from './routes.ts';
import { comment, messagesIn, schemaCollection } from './schemas.ts';
import type { Json, JsonObject } from './types.ts';

const introduction = `
Multi-tenant identity and access management with notification delivery.

**Calls.** Every operation is one \`POST /<Operation>\` with a JSON object as its body (\`Content-Type: application/json\`, at most 1 MiB). Success is 200 with a JSON object. Unknown keys are rejected; keys of read-only fields are ignored. null means the same as an absent key.

**Credentials.** \`Authorization: Bearer <token>\`, for session tokens and bot keys alike. Each operation states the accepted credentials and the required permission.

**Errors.** Every other status has an \`ErrorResponse\`: \`Code\` and \`Reason\` for programs, and \`Messages\` for developers, one for each failed check. \`Reason\` is empty where \`Code\` says it all. \`RequestID\` identifies the call in the logs and in the audit.

**Retries.** Operations that change data and require a credential accept an \`Idempotency-Key\`: a retry with the same key gets the first response and changes nothing.

**Lists.** \`Page.Limit\` and \`Page.Cursor\` select a page. \`NextCursor\` is the cursor of the next page, and empty on the last page.

**Values.** Identifiers are a prefix, \`_\` and 26 characters; an unset identifier is empty. Times are RFC 3339 in UTC; an unset time is left out. Bytes are base64.
`.trim();

/** Builds the OpenAPI document of the interface, reproducible for the same proto files. */
export function openApiDocument(
  services: readonly DescService[],
  errorResponse: DescMessage,
): JsonObject {
  const operations = services
    .flatMap((service) => service.methods)
    .map((method) => readOperation(method))
    .filter((operation) => operation.public);
  return {
    openapi: '3.0.0',
    info: {
      title: 'Bailiwick',
      version: '1.0.0',
      description: introduction,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    // Relative to the address of this document, so that it is correct for every host name and path prefix.
    servers: [{ url: '.', description: 'The server of this document.' }],
    tags: tags(operations),
    paths: sorted({
      ...Object.fromEntries(
        operations.map((operation) => [`/${operation.name}`, operationPath(operation)]),
      ),
      ...routes,
    }),
    components: {
      securitySchemes,
      parameters,
      responses: sharedFailures(),
      schemas: schemas(operations, errorResponse),
    },
  };
}

function schemas(operations: readonly Operation[], errorResponse: DescMessage): JsonObject {
  const responseMessages = new Set(
    [errorResponse, ...operations.map(({ method }) => method.output)].flatMap((message) => [
      ...messagesIn(message),
    ]),
  );
  const collection = schemaCollection(
    responseMessages,
    new Set(operations.flatMap(assignedFields)),
  );
  collection.add('ErrorResponse', errorResponse, 'response');
  for (const { name, method, nullWhenAbsent, stream } of operations) {
    collection.add(`${name}Req`, method.input, 'request');
    // A streamed response has no schema: its parts are exchanged between gateway and service only.
    if (!stream) collection.add(`${name}Res`, method.output, 'response', nullWhenAbsent);
  }
  return sorted(collection.all);
}

/** The fields that an operation sets itself. Sent values are ignored. */
function assignedFields({ method, assigned }: Operation): DescField[] {
  return assigned.map((path) => {
    const names = path.split('.');
    const message = names
      .slice(0, -1)
      .reduce<DescMessage | undefined>(
        (parent, name) => parent?.fields.find((field) => field.name === name)?.message,
        method.input,
      );
    const field = message?.fields.find(({ name }) => name === names.at(-1));
    if (!field) throw new Error(`${method.input.typeName} has no ${path}`);
    return field;
  });
}

function tags(operations: readonly Operation[]): Json {
  const areas = new Set(
    operations.filter(({ credential }) => credential !== 'worker').map(({ service }) => service),
  );
  return [
    ...[...areas].map((service) => ({ name: service.name, description: comment(service) })),
    {
      name: 'internal',
      description: 'Tasks that the delivery worker runs. Clients do not call them.',
    },
  ].sort((a, b) => compare(a.name, b.name));
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => compare(a, b)));
}

/** Compares by code unit, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
