import type { Operation } from '../operation.ts';
import { accessLine, accessText, security } from './access.ts';
import { requestExample, responseExample } from './examples.ts';
import { failureResponses, rateLimitHeaders } from './failures.ts';
import { comment } from './schemas.ts';
import type { Json, JsonObject } from './types.ts';

/** The path item of one operation. */
export function operationPath(operation: Operation): JsonObject {
  const { name, method, credential } = operation;
  const text = comment(method);
  return {
    post: {
      operationId: name,
      tags: [credential === 'worker' ? 'internal' : operation.service.name],
      summary: firstSentence(text),
      description: [text, ...accessText(operation)].join('\n\n'),
      security: security(operation),
      'x-permission': accessLine(operation),
      ...parametersOf(operation),
      requestBody: { required: true, content: json(`${name}Req`, requestExample(operation)) },
      responses: {
        200: {
          description: 'Success.',
          headers: {
            ...(operation.takesIdempotencyKey && { 'Idempotency-Replayed': replayed }),
            ...(returnsPosition(operation) && { 'Bailiwick-Position': position }),
            ...(isLimited(operation) && rateLimitHeaders),
          },
          content: operation.stream ? texts() : json(`${name}Res`, responseExample(operation)),
        },
        ...failureResponses(credential !== 'worker', operation),
      },
    },
  };
}

const replayed: Json = {
  schema: { type: 'string', enum: ['true'] },
  description: 'The response is that of an earlier call with the same Idempotency-Key.',
};

const position: Json = {
  schema: { type: 'string' },
  description: 'The position of the change, if lists may come from a replica of the database.',
};

const returnsPosition = ({ takesIdempotencyKey, sessionCookie }: Operation): boolean =>
  takesIdempotencyKey && sessionCookie === undefined;

function parametersOf({ takesIdempotencyKey, fromReplica }: Operation): JsonObject {
  if (takesIdempotencyKey)
    return { parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }] };
  return fromReplica ? { parameters: [{ $ref: '#/components/parameters/Position' }] } : {};
}

/** Whether the operation has a rate limit: by the caller's address or, if the operator enables it, by session or bot key. */
const isLimited = ({ rate, credential }: Operation): boolean =>
  rate !== '' || credential !== 'worker';

/** The shared parameters, which operations refer to. */
export const parameters: JsonObject = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes retries safe: for 24 hours a call with the same credential, key and request gets the first response. Use a new key for each call: the same key with a different request to the same service is rejected with 400. A retry while the first call is in progress is rejected with 429.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  },
  Position: {
    name: 'Bailiwick-Position',
    in: 'header',
    required: false,
    description:
      'The positions that the last changes returned, separated by commas: a replica of the database then answers only if it has these changes. Without it the newest state is read. An unknown value is ignored.',
    schema: { type: 'string' },
    example: 'k1.AXN0Zf9lcGxhY2Vob2xkZXItb2YtYS1wb3NpdGlvbg',
  },
};

/** A JSON body with this schema. */
function json(schema: string, example: Json): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } };
}

/** A streamed text body, as NDJSON or CSV. */
function texts(): Json {
  const schema = { type: 'string' };
  return {
    'application/x-ndjson': { schema, example: '{"ID":"…"}\n' },
    'text/csv': { schema, example: 'ID\r\n…\r\n' },
  };
}

function firstSentence(text: string): string {
  return (/^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text).replace(/[.]$/, '');
}
