import assert from 'node:assert/strict';
import test from 'node:test';
import { asProblem, distinct, type Problem, problem, rules } from '@bailiwick/errors';
import { create, type DescMessage } from '@bufbuild/protobuf';
import { decodeJson } from './json/decode.ts';
import { operations } from './registry.ts';
import { findProblems } from './validate.ts';

const inputOf = (operation: string): DescMessage =>
  operations.get(operation)?.method.input ?? assert.fail(operation);

function problemsOf(operation: string, json: Record<string, unknown>) {
  const decoded = decodeJson(inputOf(operation), json);
  const problems = findProblems(inputOf(operation), decoded.message, decoded.unreadable);
  return shapeOf([...decoded.problems, ...problems]);
}

const shapeOf = (problems: readonly Problem[]) =>
  problems.map(({ field, rule, params }) => [field, rule, params]);

const tenant = 'tnt_01jd8m3v6zfa2bq0x9c4e7h5gk';

test('a problem names the field, the rule and the values of its message', () => {
  const cases: ReadonlyArray<readonly [string, Record<string, unknown>, unknown[]]> = [
    ['Users_Get', {}, [['UserID', 'required', {}]]],
    ['Users_Get', { UserID: 'x' }, [['UserID', 'id', { Prefix: 'usr_' }]]],
    ['Users_Get', { UserID: 1 }, [['UserID', 'type', { Type: 'string' }]]],
    [
      'Users_Get',
      { UserId: 'x' },
      [
        ['UserId', 'unknown_key', { Meant: 'UserID' }],
        ['UserID', 'required', {}],
      ],
    ],
    ['Users_List', { Page: { Limit: -1 } }, [['Page.Limit', 'min', { Min: '0' }]]],
    [
      'Users_Create',
      { User: { Email: 'a', Name: 'x'.repeat(129), Locale: '-' } },
      [
        ['User.Email', 'email', {}],
        ['User.Name', 'max_len', { Max: '128' }],
        ['User.Locale', 'locale', {}],
      ],
    ],
    [
      'Groups_Save',
      { Group: { Tenant: tenant, Path: '-', Metadata: { __proto: 1 } } },
      [
        ['Group.Metadata["__proto"]', 'type', { Type: 'string' }],
        ['Group.Path', 'path', {}],
      ],
    ],
    [
      'Webhooks_CreateEndpoint',
      {},
      [
        ['Endpoint.Name', 'required', {}],
        ['Endpoint.URL', 'required', {}],
      ],
    ],
    ['Roles_Save', { Role: { Tenant: tenant, Slug: 'A', Name: 'a' } }, [['Role.Slug', 'slug', {}]]],
  ];
  for (const [operation, json, expected] of cases)
    assert.deepEqual(problemsOf(operation, json), expected, `${operation} ${JSON.stringify(json)}`);
});

test('all failed rules of an empty request have a name of their own', () => {
  const problems = [...operations.values()].flatMap(({ method }) =>
    findProblems(method.input, create(method.input)),
  );
  const custom = new Set(problems.filter(({ rule }) => rule === 'custom').map(({ text }) => text));
  assert.ok(problems.length > 100);
  assert.deepEqual([...custom].sort(), []);
});

test('a text becomes a custom problem of the field at its beginning, once', () => {
  const fieldOf = (text: string) => asProblem(text).field;
  assert.equal(fieldOf('Users[12].Roles["a b"].Name is odd'), 'Users[12].Roles["a b"].Name');
  assert.equal(fieldOf('the body is odd'), '');
  assert.equal(fieldOf('Idempotency-Key is odd'), '');
  const required = problem('Name', 'required', 'is required');
  assert.deepEqual(distinct([required, 'Name is required', 'Path is odd']), [
    required,
    { text: 'Path is odd', field: 'Path', rule: 'custom', params: {} },
  ]);
  assert.ok(Object.hasOwn(rules, 'custom'));
});
