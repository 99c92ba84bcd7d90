import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toServiceError } from '@bailiwick/errors';
import { patched } from './patch.ts';
import { type Resource, readResource } from './resource.ts';
import { groupType, userType } from './schemas.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const person: Resource = {
  userName: 'a@example.com',
  name: { givenName: 'A', familyName: 'B' },
  emails: [
    { value: 'a@example.com', type: 'work', primary: true },
    { value: 'a@home.example', type: 'home' },
  ],
  active: true,
};
const patch = (...Operations: object[]) =>
  readResource(userType, patched(userType, person, { Operations }));

const cases: ReadonlyArray<[name: string, operations: object[], changed: object]> = [
  [
    'operations in capitals, with booleans as text',
    [{ op: 'Replace', path: 'active', value: 'False' }],
    { active: false },
  ],
  [
    'a boolean as a list of one',
    [{ op: 'replace', path: 'active', value: [{ value: 'false' }] }],
    { active: false },
  ],
  [
    'a value without a path, with names with dots and an extension',
    [
      {
        op: 'replace',
        value: {
          displayName: 'X',
          'name.givenName': 'Y',
          [`${enterprise}:employeeNumber`]: '7',
          unknown: 1,
          id: 'ignored',
        },
      },
    ],
    {
      displayName: 'X',
      name: { givenName: 'Y', familyName: 'B' },
      [enterprise]: { employeeNumber: '7' },
    },
  ],
  [
    'an extension as an object',
    [{ op: 'add', value: { [enterprise]: { department: 'D', manager: '26' } } }],
    { [enterprise]: { department: 'D', manager: { value: '26' } } },
  ],
  [
    'a part of a name, which leaves the other parts',
    [{ op: 'add', path: 'name', value: { familyName: 'C' } }],
    { name: { givenName: 'A', familyName: 'C' } },
  ],
  [
    'the value of a list that a filter selects',
    [{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@example.com' }],
    {
      emails: [
        { value: 'b@example.com', type: 'work', primary: true },
        { value: 'a@home.example', type: 'home' },
      ],
    },
  ],
  [
    'a value that no filter selects yet, which is made',
    [{ op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '1' }],
    { phoneNumbers: [{ type: 'mobile', value: '1' }] },
  ],
  [
    'a new primary value, which replaces the former',
    [{ op: 'add', path: 'emails', value: [{ value: 'c@example.com', primary: true }] }],
    {
      emails: [
        { value: 'a@example.com', type: 'work', primary: false },
        { value: 'a@home.example', type: 'home' },
        { value: 'c@example.com', primary: true },
      ],
    },
  ],
  [
    'the removal of a value',
    [{ op: 'Remove', path: 'emails[type eq "home"]' }],
    { emails: [{ value: 'a@example.com', type: 'work', primary: true }] },
  ],
  ['the removal of a whole attribute', [{ op: 'remove', path: 'name' }], { name: undefined }],
  ['null, which removes', [{ op: 'replace', path: 'name', value: null }], { name: undefined }],
  [
    'names in another case',
    [{ OP: 'replace', Path: 'NAME.GIVENNAME', Value: 'Z' }],
    { name: { givenName: 'Z', familyName: 'B' } },
  ],
];

for (const [name, operations, changed] of cases)
  test(`PATCH takes ${name}`, () => {
    const expected = JSON.parse(JSON.stringify({ ...person, ...changed }));
    assert.deepEqual(patch(...operations), expected);
  });

const refused: ReadonlyArray<[operation: object, type: string]> = [
  [{ op: 'replace', path: 'shoe', value: 1 }, 'INVALID_PATH'],
  [{ op: 'replace', path: 'emails[type eq "work"].shoe', value: 1 }, 'INVALID_PATH'],
  [{ op: 'replace', path: '__proto__.x', value: 1 }, 'INVALID_PATH'],
  [{ op: 'replace', path: 'meta.created', value: 'x' }, 'MUTABILITY'],
  [{ op: 'add', path: 'groups', value: [{ value: 'grp_1' }] }, 'MUTABILITY'],
  [{ op: 'remove' }, 'NO_TARGET'],
  [{ op: 'replace', path: 'emails[value co "zz"].value', value: 'y' }, 'NO_TARGET'],
  [{ op: 'replace', value: 'x' }, 'INVALID_VALUE'],
  [{ op: 'replace', path: 'title', value: { a: 1 } }, 'INVALID_VALUE'],
  [{ op: 'test', path: 'title' }, 'INVALID_SYNTAX'],
];

for (const [operation, type] of refused)
  test(`PATCH refuses ${JSON.stringify(operation)} as ${type}`, () => {
    assert.throws(
      () => patch(operation),
      (error) => toServiceError(error).reason === `SCIM_${type}`,
    );
  });

test('PATCH changes the members of a group in all forms, and names each once', () => {
  const group: Resource = { displayName: 'G', members: [{ value: 'a' }, { value: 'b' }] };
  const members = (...Operations: object[]) =>
    ((patched(groupType, group, { Operations })['members'] ?? []) as Array<{ value: string }>).map(
      ({ value }) => value,
    );
  const add = { op: 'Add', path: 'members', value: [{ value: 'c', $ref: null }, { value: 'a' }] };
  assert.deepEqual(members(add, add), ['a', 'b', 'c']);
  assert.deepEqual(members({ op: 'Remove', path: 'members', value: [{ value: 'a' }] }), ['b']);
  assert.deepEqual(members({ op: 'remove', path: 'members[value eq "b"]' }), ['a']);
  assert.deepEqual(members({ op: 'remove', path: 'members' }), []);
  assert.deepEqual(members({ op: 'replace', path: 'members', value: [] }), []);
  assert.deepEqual(members({ op: 'replace', value: { members: [{ value: 'd' }] } }), ['d']);
});

test('PATCH leaves the given resource as it is', () => {
  const before = structuredClone(person);
  patch({ op: 'remove', path: 'emails' }, { op: 'replace', path: 'name.givenName', value: 'N' });
  assert.deepEqual(person, before);
});
