import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Api, Schema } from './api.ts';
import { recordsIn, recordTable, requestTable } from './fields.ts';

const schemas: Record<string, Schema> = {
  Group: {
    type: 'object',
    required: ['Tenant'],
    properties: {
      ID: { type: 'string', readOnly: true },
      Tenant: { type: 'string', pattern: '^tnt_[0-7][0-9a-hjkmnp-tv-z]{25}$' },
      Above: { allOf: [{ $ref: '#/components/schemas/Group' }], description: 'The group above.' },
      Tags: { type: 'array', maxItems: 5, items: { type: 'string', enum: ['a', 'b', ''] } },
    },
  },
};
const api = { components: { schemas }, paths: { '/Groups_Save': {} } } as unknown as Api;
const group = { $ref: '#/components/schemas/Group' };

test('a request lists nested fields with their paths and rules, without read-only ones', () => {
  const request = { type: 'object', required: ['Group'], properties: { Group: group } };
  assert.deepEqual(requestTable(api, request).split('\n').slice(2), [
    '| `Group` | object | Required. |',
    '| `Group.Tenant` | string | Required. An ID that begins with `tnt_`. |',
    '| `Group.Above` | object | The group above. |',
    '| `Group.Tags` | array of string | One of `a`, `b`. At most 5 items. |',
  ]);
});

test('the request of another operation is named and not repeated', () => {
  const request = { type: 'object', properties: { Groups_Save: group } };
  assert.deepEqual(requestTable(api, request).split('\n').slice(2), [
    '| `Groups_Save` | object | The request of `Groups_Save`. |',
  ]);
});

test('a response links the records that it holds', () => {
  const response = { type: 'object', properties: { Groups: { type: 'array', items: group } } };
  assert.match(
    recordTable(api, response, (name) => `/x#${name}`),
    /\| array of \[Group\]\(\/x#Group\) \|/,
  );
  assert.deepEqual([...recordsIn(api, response)], ['Group']);
});
