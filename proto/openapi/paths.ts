import type { Operation } from '../operation.ts';
import { accessLine, accessText, security } from './access.ts';
import { requestExample, responseExample } from './examples.ts';
import { failureResponses } from './failures.ts';
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
      requestBody: { required: true, content: json(`${name}Req`, requestExample(operation)) },
      responses: {
        200: {
          description: 'Success.',
          content: operation.stream ? texts() : json(`${name}Res`, responseExample(operation)),
        },
        ...failureResponses(credential !== 'worker', operation),
      },
    },
  };
}

/** A body that is JSON of a schema. */
function json(schema: string, example: Json): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` }, example } };
}

/** A long text, in one form or another. */
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
