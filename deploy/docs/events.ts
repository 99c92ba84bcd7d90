import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EventType,
  ownFamilies,
  type Reach,
  types,
} from '@bailiwick/notifications/events/catalogue.ts';
import { root } from '../local/paths.ts';

// Generates from the event catalogue and the OpenAPI description: the list that
// Webhooks_ListEventTypes returns, and docs/events.md.

type Json = string | number | boolean | null | Json[] | JsonObject;
type JsonObject = { [key: string]: Json };
type Schema = JsonObject & {
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
  format?: string;
};
type Body = { content: { 'application/json': { schema: Schema; example: JsonObject } } };
type Description = {
  paths: Record<
    string,
    { post?: { requestBody?: Body; responses: Record<string, Partial<Body>> } }
  >;
  components: { schemas: Record<string, Schema> };
};

const reference = '#/components/schemas/';

/** The OpenAPI description. An earlier step generates it from the proto files. */
const readDescription = (): Description =>
  JSON.parse(readFileSync(join(root, 'gateway/openapi.json'), 'utf8')) as Description;

/**
 * Schema keywords for requests only: a record in an event is complete, and was validated when it
 * was saved.
 */
const ofRequests = new Set([
  'required',
  'readOnly',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'pattern',
  'enum',
  'maxItems',
  'maxProperties',
  'nullable',
]);

/**
 * Turns a schema of the OpenAPI description into the JSON Schema of records that the service
 * writes. Collects the referenced schemas in `named`.
 */
function written(schema: Schema, named: Set<string>): Schema {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(reference.length);
    named.add(name);
    return { $ref: `#/definitions/${name}` };
  }
  const { properties, ...rest } = schema;
  // Requests reject unknown keys; events may gain keys.
  const isOfRequests = (key: string, value: Json) =>
    ofRequests.has(key) || (key === 'additionalProperties' && value === false);
  const recordSchema = Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) =>
      isOfRequests(key, value) ? [] : [[key, inner(value, named)]],
    ),
  );
  if (!properties) return recordSchema;
  const always = Object.keys(properties).filter((name) => !isLeftOutWhereUnset(properties[name]));
  return {
    ...recordSchema,
    required: always,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, written(one, named)]),
    ),
  };
}

/**
 * Times, and records that only some answers include, such as Tenant.Membership, are omitted if
 * unset.
 */
const isLeftOutWhereUnset = (property: Schema | undefined): boolean =>
  property?.format === 'date-time' ||
  (property?.['readOnly'] === true && property['allOf'] !== undefined);

function inner(value: Json, named: Set<string>): Json {
  if (Array.isArray(value)) return value.map((one) => inner(one, named));
  return typeof value === 'object' && value !== null ? written(value, named) : value;
}

/** The schemas of a record and of everything it refers to. */
function definitionsOf(
  record: string,
  { components: { schemas } }: Description,
): Record<string, Schema> {
  const named = new Set([record]);
  const definitions: Record<string, Schema> = {};
  for (const name of named) {
    const schema = schemas[name];
    if (!schema) throw new Error(`the OpenAPI description has no schema ${name}`);
    definitions[definitionName(name)] = written(schema, named);
  }
  return definitions;
}

/** An event without a record of its own has the fields of a request as its data. */
const definitionName = (record: string): string =>
  record === 'Groups_AddMemberReq' ? 'GroupMembership' : record;

const text = (description: string) => ({ type: 'string', description });

function schemaOf({ type, description, record }: EventType, openapi: Description): JsonObject {
  const name = definitionName(record);
  const definitions = definitionsOf(record, openapi);
  if (name !== record)
    definitions[name] = { ...definitions[name], description: 'A member of a group.' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: type,
    description,
    type: 'object',
    required: ['id', 'type', 'timestamp', 'tenant', 'actor', 'apiVersion', 'data', 'previous'],
    properties: {
      id: {
        ...text('The same for every attempt and every receiver; also the header webhook-id.'),
        pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      },
      type: { const: type },
      timestamp: { ...text('When it happened.'), format: 'date-time' },
      tenant: text('Empty for records outside tenants, such as users.'),
      actor: {
        type: 'object',
        description: 'Who did it.',
        required: ['type', 'id'],
        properties: {
          type: { enum: ['user', 'bot', 'platform', 'portal', 'system', 'anonymous'] },
          id: text('Empty if the actor has no identifier.'),
        },
      },
      apiVersion: text('The API version of the data.'),
      data: { $ref: `#/definitions/${name}` },
      previous: {
        type: 'object',
        description:
          'The previous values of the changed fields; null = not set. Empty if nothing changed.',
      },
    },
    definitions,
  };
}

const refOf = (schema: Schema): string =>
  (schema.$ref ?? (schema['allOf'] as Schema[] | undefined)?.[0]?.$ref ?? '').slice(
    reference.length,
  );

/**
 * An example of a record from the OpenAPI description: a request or an answer itself, or a record
 * at any depth of an answer.
 */
function recordExample(record: string, { paths, components }: Description): JsonObject {
  const request = paths[`/${record.replace(/Req$/, '')}`]?.post?.requestBody;
  if (request) return request.content['application/json'].example;
  const answer = paths[`/${record.replace(/Res$/, '')}`]?.post?.responses['200'];
  if (answer) return answer.content?.['application/json']?.example as JsonObject;
  const within = (schema: Schema, example: unknown): JsonObject | undefined => {
    if (example === undefined) return undefined;
    const name = refOf(schema);
    if (name === record) return example as JsonObject;
    if (Array.isArray(example)) return within(schema['items'] as Schema, example[0]);
    for (const [key, part] of Object.entries(components.schemas[name]?.properties ?? {})) {
      const match = within(part, (example as JsonObject)[key]);
      if (match) return match;
    }
    return undefined;
  };
  for (const { post } of Object.values(paths)) {
    const content = post?.responses['200']?.content?.['application/json'];
    const example = content && within(content.schema, content.example);
    if (example) return example;
  }
  throw new Error(`the OpenAPI description has no example of ${record}`);
}

const moment = '2026-01-31T12:00:00.000Z';

function exampleOf({ type, record, reach }: EventType, description: Description): JsonObject {
  // All examples use the same few records.
  const text = JSON.stringify(description.paths);
  const idOf = (prefix: string) => new RegExp(`${prefix}_[0-9a-z]{26}`).exec(text)?.[0] ?? '';
  const actor = { type: 'user', id: idOf('usr') };
  const data = recordExample(record, description);
  return {
    id: idOf('evt'),
    type,
    timestamp: moment,
    tenant: reach === 'members' ? '' : idOf('tnt'),
    actor,
    apiVersion: '1.0.0',
    data,
    previous: {},
  };
}

/** The event types that an endpoint can receive, by name. */
const reaching = [...types.values()]
  .filter(({ reach }) => reach !== 'none')
  .sort((a, b) => (a.type < b.type ? -1 : 1));

/** services/notifications/events/gen/event-types.json. */
export function renderEventTypes(): string {
  const description = readDescription();
  const list = reaching.map((one) => ({
    Type: one.type,
    Description: one.description,
    Schema: schemaOf(one, description),
    Example: exampleOf(one, description),
  }));
  return `${JSON.stringify(list, null, 1)}\n`;
}

const audience: Record<Reach, string> = {
  tenant: 'its tenant',
  members: 'the tenants of the user, and the tenant that has verified the domain of the address',
  test: 'the tested endpoint, by `Webhooks_SendTest`',
  none: 'none',
};

/** docs/events.md. */
export function renderEvents(): string {
  const rows = reaching.map(
    ({ type, description, record, reach }) =>
      `| \`${type}\` | ${description} | ${definitionName(record)} | ${audience[reach]} |`,
  );
  const created = types.get('group.created');
  if (!created) throw new Error('the example of group.created is missing');
  return `<!-- Generated from services/notifications/events/catalogue.ts by deploy/docs/events.ts: change that, then run \`npm run generate\`. -->

# Events

Each event goes to the endpoints of its tenant that subscribe to its type, as one JSON object in UTF-8.
[webhooks.md](webhooks.md) describes the delivery, and how to verify it. \`Webhooks_ListEventTypes\` returns this list
with the JSON Schema and an example of each body.

\`\`\`json
${JSON.stringify(exampleOf(created, readDescription()), null, 2)}
\`\`\`

| Key          | Meaning                                                                                            |
| ------------ | -------------------------------------------------------------------------------------------------- |
| \`id\`         | the event's identifier, the same for every attempt and every receiver                              |
| \`type\`       | one of the types below, or an application's                                                        |
| \`timestamp\`  | when it happened                                                                                   |
| \`tenant\`     | where it happened; empty for records outside tenants, such as users                                |
| \`actor\`      | who did it: \`user\`, \`bot\`, \`platform\`, \`portal\` (a link of a [receiver](receivers-portal.md)), \`system\` or \`anonymous\`, with the identifier where there is one |
| \`apiVersion\` | the API version of the data                                                                        |
| \`data\`       | the record, exactly as the API returns it                                                          |
| \`previous\`   | the previous values of the changed fields; null = not set                                          |

New keys and new types can appear at any time: ignore those that you do not know. Events contain no secrets and no tokens.

| Type | When | Data | Receivers |
| --- | --- | --- | --- |
${rows.join('\n')}

An endpoint subscribes to types by name or to whole families, such as \`user.*\`. Without \`EventTypes\` it gets all types.
It gets no events about itself: the events \`webhook_endpoint.*\` go to the other endpoints.
Their \`URL\` is masked, as in the receivers' portal: without the query and the long segments of the path, which may be secrets. The host and segments of up to 20 characters stay visible: put no secret there. If only a masked part changes, the previous and the new value look alike. Read the whole URL with \`Webhooks_GetEndpoint\`.
\`Webhooks_Explain\` shows for a type which endpoints get it, and why the others do not, and \`Webhooks_ExplainDelivery\` for one event what became of it at each.

## Events of applications

A caller with \`iam.events.publish\` in a tenant publishes events there with \`Events_Publish {Tenant, Type, Body, ID}\`. They
are delivered like all events, in the same envelope.

- \`Type\` is words joined by dots, at most 64 characters, such as \`report.finished\`. These first words are Bailiwick's own and
  not allowed: ${[...ownFamilies].map((name) => `\`${name}\``).join(', ')}.
- \`Body\` is base64 of a JSON object in UTF-8 of at most 64 KiB. It becomes \`data\` byte for byte: numbers keep all their digits.
- \`ID\` is the caller's name for the event. To retry safely, repeat the call with the same \`ID\` within ten minutes: the event is
  published once.
- All applications of a tenant together publish at most 6000 events a minute, or 600 with \`BAILIWICK_LIMITS=strict\`.

\`Events_PublishBatch {Tenant, Events}\` publishes up to 1000 events in one call, several times as fast as one call each:
\`Events\` has a \`Type\`, \`Body\` and \`ID\` for each. The whole request is at most 1 MiB. \`Results\` has an entry for each event, in
their order: its \`ID\`, or the \`Code\`, \`Messages\`, \`Reason\`, \`Params\` and \`Problems\` of an error. Such an event keeps no other out.
Events beyond the limit of the tenant have the code \`resource_exhausted\`, and \`RetryAfterSeconds\`: send only these again,
with another \`Idempotency-Key\`, since the first one has the results of the whole call. If the limit allows none and no other event
is refused, the call itself is answered with 429 and may be repeated as it is.
`;
}
