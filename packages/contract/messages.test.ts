import assert from 'node:assert/strict';
import test from 'node:test';
import { isRule } from '@bailiwick/errors';
import { UsersCreateRequestSchema } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { WebhooksCreateEndpointRequestSchema } from '@bailiwick/proto/gen/bailiwick/notifications/v1/webhooks_pb.ts';
import { create, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { decodeJson } from './json/decode.ts';
import { isValueMap, listField } from './json/values.ts';
import { operations } from './registry.ts';
import { findProblems, validate } from './validate.ts';

// Validation messages are for the developer who made the call.

test('no validation message of any field contains a regular expression, and its problem tells no more than it', () => {
  const values = ['*', ' ', '\u0001', 'x'.repeat(5000), '{"', '-', 'ü'];
  for (const [name, { method, public: routed }] of operations) {
    if (!routed) continue;
    for (const sample of values) {
      const { message } = decodeJson(method.input, filled(method.input, sample), {
        unknownKeys: 'ignore',
      });
      for (const { text, field, rule, params } of findProblems(method.input, message)) {
        const where = `${name} with ${sample}: ${text}`;
        assert.doesNotMatch(text, /regex|pattern|\\|\^|\$|\[[^\]\d"]|[)\]}][*+?]|\{\d/, where);
        assert.ok(isRule(rule), where);
        assert.ok(text.startsWith('endpoint ') || text.startsWith(field), where);
        for (const param of Object.values(params)) assert.ok(text.includes(param), where);
      }
    }
  }
});

/** A request with the same text in every string field. */
function filled(schema: DescMessage, sample: string, depth = 0): Record<string, unknown> {
  const of = (field: DescField): unknown => {
    if (field.message === undefined)
      return field.fieldKind === 'list'
        ? [sample]
        : field.fieldKind === 'map'
          ? { [sample]: sample }
          : sample;
    if (isValueMap(field.message)) return { [sample]: sample };
    const list = listField(field.message);
    if (list) return of(list);
    const inner = depth < 4 ? filled(field.message, sample, depth + 1) : {};
    return field.fieldKind === 'list' ? [inner] : inner;
  };
  return Object.fromEntries(
    schema.fields.map((field) => [
      field.jsonName,
      field.fieldKind === 'scalar' && field.scalar !== ScalarType.STRING ? null : of(field),
    ]),
  );
}

test('messages name the allowed values: language tags, and how to receive all events', () => {
  const locale = { user: { email: 'a@example.com', locale: 'not a language' } };
  assert.deepEqual(validate(UsersCreateRequestSchema, create(UsersCreateRequestSchema, locale)), [
    'User.Locale must be a language tag such as en or pt-BR, at most 35 characters',
  ]);
  const endpoint = { name: 'a', url: 'https://a.example', eventTypes: { items: ['*'] } };
  assert.deepEqual(
    validate(
      WebhooksCreateEndpointRequestSchema,
      create(WebhooksCreateEndpointRequestSchema, { endpoint }),
    ),
    ['Endpoint.EventTypes must not contain "*": an empty list receives all events'],
  );
});
