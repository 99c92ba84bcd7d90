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
      ...(operation.takesIdempotencyKey && {
        parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
      }),
      requestBody: { required: true, content: json(`${name}Req`, requestExample(operation)) },
      responses: {
        200: {
          description: 'Success.',
          headers: {
            ...(operation.takesIdempotencyKey && { 'Idempotency-Replayed': replayed }),
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
