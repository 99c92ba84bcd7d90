import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type EventType,
  ownFamilies,
  type Reach,
  types,
} from '@bailiwick/notifications/events/catalogue.ts';
import { root } from '../local/paths.ts';

// What is generated from the catalogue of events and the interface's description: the list that Webhooks_ListEventTypes
// answers with, and the page for people.

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

/** The interface's description as it is generated from the proto files, which comes before this. */
const readDescription = (): Description =>
  JSON.parse(readFileSync(join(root, 'gateway/openapi.json'), 'utf8')) as Description;

/** What applies to requests alone: a record in an event is whole, and was checked when it was made. */
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

/** A schema of the description as JSON Schema of what the service itself writes; `named` collects what it refers to. */
function written(schema: Schema, named: Set<string>): Schema {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice(reference.length);
    named.add(name);
    return { $ref: `#/definitions/${name}` };
  }
  const { properties, ...rest } = schema;
  // Requests are closed to unknown keys; events grow.
  const isOfRequests = (key: string, value: Json) =>
    ofRequests.has(key) || (key === 'additionalProperties' && value === false);
  const kept = Object.fromEntries(
    Object.entries(rest).flatMap(([key, value]) =>
      isOfRequests(key, value) ? [] : [[key, inner(value, named)]],
    ),
  );
  if (!properties) return kept;
  const always = Object.keys(properties).filter((name) => !isLeftOutWhereUnset(properties[name]));
  return {
    ...kept,
    required: always,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, written(one, named)]),
    ),
  };
}

/** Times, and records that the service adds in some answers only, such as Tenant.Membership. */
const isLeftOutWhereUnset = (property: Schema | undefined): boolean =>
  property?.format === 'date-time' ||
  (property?.['readOnly'] === true && property['allOf'] !== undefined);

function inner(value: Json, named: Set<string>): Json {
  if (Array.isArray(value)) return value.map((one) => inner(one, named));
  return typeof value === 'object' && value !== null ? written(value, named) : value;
}

/** The schemas of a record and of all it refers to. */
function definitionsOf(
  record: string,
  { components: { schemas } }: Description,
): Record<string, Schema> {
  const named = new Set([record]);
  const definitions: Record<string, Schema> = {};
  for (const name of named) {
    const schema = schemas[name];
    if (!schema) throw new Error(`the interface describes no ${name}`);
    definitions[definitionName(name)] = written(schema, named);
  }
  return definitions;
}

/** Where no record is like it, the data are the fields of a request. */
const definitionName = (record: string): string =>
  record === 'Groups_AddMemberReq' ? 'GroupMembership' : record;

const text = (description: string) => ({ type: 'string', description });

function schemaOf({ type, about, record }: EventType, description: Description): JsonObject {
  const name = definitionName(record);
  const definitions = definitionsOf(record, description);
  if (name !== record)
    definitions[name] = { ...definitions[name], description: 'Who is in a group.' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: type,
    description: about,
    type: 'object',
    required: ['id', 'type', 'timestamp', 'tenant', 'actor', 'apiVersion', 'data', 'previous'],
    properties: {
      id: {
        ...text('The same for every attempt and every receiver; also the header webhook-id.'),
        pattern: '^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$',
      },
      type: { const: type },
      timestamp: { ...text('When it happened.'), format: 'date-time' },
      tenant: text('Empty for what belongs to no tenant, such as people.'),
      actor: {
        type: 'object',
        description: 'Who did it.',
        required: ['type', 'id'],
        properties: {
          type: { enum: ['user', 'bot', 'platform', 'system', 'anonymous'] },
          id: text('Empty for nobody in particular.'),
        },
      },
      apiVersion: text('The version of the interface that the data are of.'),
      data: { $ref: `#/definitions/${name}` },
      previous: {
        type: 'object',
        description:
          'The fields that changed, as they were; null = not set. Empty where nothing was changed.',
      },
    },
    definitions,
  };
}

const refOf = (schema: Schema): string =>
  (schema.$ref ?? (schema['allOf'] as Schema[] | undefined)?.[0]?.$ref ?? '').slice(
    reference.length,
  );

/** A record as the examples of the description show it: a request or an answer itself, an answer's, or one of an answer's page. */
function recordExample(record: string, { paths, components }: Description): JsonObject {
  const request = paths[`/${record.replace(/Req$/, '')}`]?.post?.requestBody;
  if (request) return request.content['application/json'].example;
  const answer = paths[`/${record.replace(/Res$/, '')}`]?.post?.responses['200'];
  if (answer) return answer.content?.['application/json']?.example as JsonObject;
  for (const [path, { post }] of Object.entries(paths)) {
    const example = post?.responses['200']?.content?.['application/json']?.example ?? {};
    for (const [key, schema] of Object.entries(
      components.schemas[`${path.slice(1)}Res`]?.properties ?? {},
    )) {
      if (refOf(schema) === record) return example[key] as JsonObject;
      if (refOf(schema) === `${record}Page`)
        return (example[key] as { Items: JsonObject[] }).Items[0] ?? {};
    }
  }
  throw new Error(`the interface's description has no example of ${record}`);
}

const moment = '2026-01-31T12:00:00.000Z';

function exampleOf({ type, record, reach }: EventType, description: Description): JsonObject {
  // The examples all tell of the same few records.
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

/** Those that an endpoint may get, by name. */
const reaching = [...types.values()]
  .filter(({ reach }) => reach !== 'nobody')
  .sort((a, b) => (a.type < b.type ? -1 : 1));

/** services/notifications/events/gen/event-types.json. */
export function renderEventTypes(): string {
  const description = readDescription();
  const list = reaching.map((one) => ({
    Type: one.type,
    Description: one.about,
    Schema: schemaOf(one, description),
    Example: exampleOf(one, description),
  }));
  return `${JSON.stringify(list, null, 1)}\n`;
}

const audience: Record<Reach, string> = {
  tenant: 'its tenant',
  members: 'the tenants of the person, and the one that has verified the domain of the address',
  test: 'the endpoint that is tested, by `Webhooks_SendTest`',
  nobody: 'nobody',
};

/** docs/events.md. */
export function renderEvents(): string {
  const rows = reaching.map(
    ({ type, about, record, reach }) =>
      `| \`${type}\` | ${about} | ${definitionName(record)} | ${audience[reach]} |`,
  );
  const created = types.get('group.created');
  if (!created) throw new Error('the example is gone');
  return `<!-- Generated from services/notifications/events/catalogue.ts by deploy/docs/events.ts: change that, then run \`npm run generate\`. -->

# Events

What happens is told to the endpoints of its tenant that ask for it, as one JSON object in UTF-8. How it gets there, and how to
verify it, is in [webhooks.md](webhooks.md). \`Webhooks_ListEventTypes\` answers with this list, and with the JSON Schema and an
example of each body.

\`\`\`json
${JSON.stringify(exampleOf(created, readDescription()), null, 2)}
\`\`\`

| Key          | What it is                                                                                         |
| ------------ | -------------------------------------------------------------------------------------------------- |
| \`id\`         | the event's own, the same for every attempt and every receiver                                     |
| \`type\`       | one of the types below, or an application's                                                        |
| \`timestamp\`  | when it happened                                                                                   |
| \`tenant\`     | where; empty for what belongs to no tenant, such as people                                         |
| \`actor\`      | who did it: \`user\`, \`bot\`, \`platform\`, \`system\` or \`anonymous\`, with the identifier where there is one |
| \`apiVersion\` | the version of the interface that the data are of                                                  |
| \`data\`       | the record, exactly as the API returns it                                                          |
| \`previous\`   | the fields that changed, as they were; null = not set                                              |

New keys, and new types, may come at any time: let those that are not known pass. There are no secrets and no tokens in an event.

| Type | When | Data | Who is told |
| --- | --- | --- | --- |
${rows.join('\n')}

An endpoint asks for types by their names, or for whole families, such as \`user.*\`; with no \`EventTypes\` it gets all of
them. It is not told about itself: of the events \`webhook_endpoint.*\` it gets those about other endpoints.
\`Webhooks_Explain\` says for a type which endpoints get it, and why the others do not.

## Events of applications

Whoever holds \`iam.events.publish\` in a tenant publishes events there with \`Events_Publish {Tenant, Type, Body, ID}\`. They go
the same way, in the same envelope. \`Body\` is base64 of a JSON object in UTF-8 of at most 64 KiB, and becomes \`data\` byte for
byte: numbers keep all their digits. \`Type\` is words joined by dots, at most 64 characters, such as \`report.finished\`, and begins with none of the words
that are Bailiwick's own: ${[...ownFamilies].map((name) => `\`${name}\``).join(', ')}. \`ID\` is a name that the caller gives the event: whoever is unsure whether a call got through repeats it with
the same \`ID\` within ten minutes, and the event is published once.
`;
}
