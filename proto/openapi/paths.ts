import type { Operation, Rule } from '../operation.ts';
import { comment } from './schemas.ts';
import type { Json, JsonObject } from './types.ts';

const failures: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

/** The failures every operation and route declares. */
export function failureResponses(limited: boolean): JsonObject {
  const declared = Object.entries(failures).filter(([status]) => limited || status !== '429');
  return Object.fromEntries(declared.map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]));
}

/** The path item of one operation. */
export function operationPath(operation: Operation): JsonObject {
  const { name, method, credential } = operation;
  const text = comment(method);
  return {
    post: {
      operationId: name,
      tags: [credential === 'worker' ? 'internal' : operation.service.name],
      summary: firstSentence(text),
      description: [text, ...access(operation)].join('\n\n'),
      ...(credential === 'none' ? { security: [] } : {}),
      requestBody: { required: true, content: json(`${name}Req`) },
      responses: {
        200: { description: 'Success.', content: json(`${name}Res`) },
        ...failureResponses(credential !== 'worker'),
      },
    },
  };
}

/** A body that is JSON of a schema. */
export function json(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}

function firstSentence(text: string): string {
  return (/^.*?[.](?=\s|$)/.exec(text)?.[0] ?? text).replace(/[.]$/, '');
}

const callers: Readonly<Record<string, string>> = {
  none: 'Open: no credential is needed.',
  session: 'Needs a session.',
  any: 'Needs a session or a bot key.',
  bot: 'Needs a bot key.',
  worker: 'For the delivery worker alone.',
};

/** Who may call, from the options that enforce it. */
function access({ method, credential, allow, recentLogin }: Operation): string[] {
  const ways = allow.map((rule) => `- ${wayText(rule, (path) => jsonPath(method.input, path))}`);
  return [
    callers[credential] ?? '',
    ...(ways.length > 0 ? [`Allowed ${ways.length > 1 ? 'by any one of these' : 'by'}:\n\n${ways.join('\n')}`] : []),
    ...(recentLogin ? ['A tenant may demand that the caller signed in within the last 15 minutes.'] : []),
  ];
}

function wayText(rule: Rule, spelt: (path: string) => string): string {
  switch (rule.kind) {
    case 'self':
      return rule.field === 'caller' ? 'being signed in: it is about the caller' : `being the user of \`${spelt(rule.field)}\``;
    case 'tenant':
      return `the permission \`${rule.permission}\` in \`${spelt(rule.field)}\``;
    case 'platform':
      return rule.without === ''
        ? `the permission \`${rule.permission}\` on the platform`
        : `the permission \`${rule.permission}\` on the platform, where \`${spelt(rule.without)}\` is empty`;
    case 'handler':
      return rule.rule;
  }
}

/** A proto path in the spelling of the JSON. */
function jsonPath(message: Operation['method']['input'], path: string): string {
  const [first, ...rest] = path.split('.');
  const field = message.fields.find((candidate) => candidate.name === first);
  if (field === undefined) throw new Error(`${message.typeName} has no ${path}`);
  if (rest.length === 0 || field.fieldKind !== 'message') return field.jsonName;
  return `${field.jsonName}.${jsonPath(field.message, rest.join('.'))}`;
}
