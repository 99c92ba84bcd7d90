import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toServiceError } from '@bailiwick/errors';
import { type Intake, newIntake } from './intake.ts';
import { applyPatch } from './patch.ts';
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
const patchOf = (intake: Intake, ...Operations: object[]) =>
  readResource(userType, applyPatch(userType, person, { Operations }, intake), intake, person);
const patch = (...Operations: object[]) => patchOf(newIntake(), ...Operations);

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
  ...['replace', 'remove']
    .map((op) =>
      [null, ''].map((empty): (typeof cases)[number] => [
        `${op} of a value with ${JSON.stringify(empty)}, which drops it`,
        [{ op, path: 'emails[type eq "work"].value', value: empty }],
        { emails: [{ value: 'a@home.example', type: 'home' }] },
      ]),
    )
    .flat(),
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
  [{ op: 'replace', value: { shoe: 1 } }, 'INVALID_PATH'],
  [{ op: 'replace', value: { name: { shoe: 1 } } }, 'INVALID_SYNTAX'],
  [{ op: 'add', path: 'roles[primary eq "True"', value: 'x' }, 'INVALID_PATH'],
  [{ op: 'add', path: 'roles[primary eq].value', value: 'x' }, 'INVALID_FILTER'],
  [{ op: 'add', path: 'roles[shoe eq "x"].value', value: 'x' }, 'INVALID_FILTER'],
  [{ op: 'add', path: 'urn:', value: 'x' }, 'INVALID_PATH'],
  [{ op: 'add', path: 'urn:example:2.0:User:tag[a eq "x"', value: 'x' }, 'INVALID_PATH'],
  [
    { op: 'add', path: 'urn:ietf:params:scim:schemas:core:2.0:User:shoe', value: 1 },
    'INVALID_PATH',
  ],
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
    (
      (applyPatch(groupType, group, { Operations }, newIntake())['members'] ?? []) as Array<{
        value: string;
      }>
    ).map(({ value }) => value);
  const add = { op: 'Add', path: 'members', value: [{ value: 'c', $ref: null }, { value: 'a' }] };
  assert.deepEqual(members(add, add), ['a', 'b', 'c']);
  assert.deepEqual(members({ op: 'Remove', path: 'members', value: [{ value: 'a' }] }), ['b']);
  assert.deepEqual(members({ op: 'remove', path: 'members[value eq "b"]' }), ['a']);
  assert.deepEqual(members({ op: 'remove', path: 'members' }), []);
  assert.deepEqual(members({ op: 'replace', path: 'members', value: [] }), []);
  for (const empty of [[], '', null, [null], [''], [{}], [{ value: null }], [{ value: '' }]])
    assert.deepEqual(
      members({ op: 'remove', path: 'members', value: empty }),
      ['a', 'b'],
      JSON.stringify(empty),
    );
  assert.deepEqual(members({ op: 'replace', value: { members: [{ value: 'd' }] } }), ['d']);
});

test('PATCH leaves the given resource as it is', () => {
  const before = structuredClone(person);
  patch({ op: 'remove', path: 'emails' }, { op: 'replace', path: 'name.givenName', value: 'N' });
  assert.deepEqual(person, before);
});

const tag = 'urn:ietf:params:scim:schemas:extension:CustomExtensionName:2.0:User:tag';

const unstored: ReadonlyArray<[operation: object, attribute: string]> = [
  [{ op: 'add', path: 'roles', value: [{ value: 'x' }] }, 'roles'],
  [{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'x' }, 'roles.value'],
  [{ op: 'replace', path: 'photos[type eq "photo"].value', value: 'x' }, 'photos.value'],
  [{ op: 'replace', path: 'Password', value: 'x' }, 'Password'],
  [{ op: 'replace', value: { entitlements: [{ value: 'x' }] } }, 'entitlements'],
  [{ op: 'replace', value: { 'ims.value': 'x' } }, 'ims.value'],
  [{ op: 'replace', path: 'emails[type eq "work"].$ref', value: 'x' }, 'emails.$ref'],
  [{ op: 'add', path: tag, value: 'x' }, tag],
  [{ op: 'add', value: { [tag]: 'x' } }, tag],
  [
    { op: 'add', path: 'urn:example:2.0:User:tags[a eq "b"].c', value: 'x' },
    'urn:example:2.0:User:tags.c',
  ],
  [{ op: 'add', path: `${enterprise}:badge`, value: 'x' }, `${enterprise}:badge`],
  [{ op: 'add', path: `${enterprise}:manager.shoe`, value: 'x' }, `${enterprise}:manager.shoe`],
  [{ op: 'add', value: { [enterprise]: { badge: 'x' } } }, `${enterprise}:badge`],
  [{ op: 'remove', path: 'x509Certificates' }, 'x509Certificates'],
];

for (const [operation, attribute] of unstored)
  test(`PATCH ignores and notes ${JSON.stringify(operation)}`, () => {
    const intake = newIntake();
    const deactivation = { op: 'replace', path: 'active', value: false };
    assert.deepEqual(patchOf(intake, operation, deactivation), { ...person, active: false });
    assert.deepEqual(intake.notes, [{ attribute, message: '' }]);
  });

test('PATCH that leaves out refused parts applies all others, and keeps the stored values', () => {
  const intake = newIntake(true);
  const changed = patchOf(
    intake,
    { op: 'replace', path: 'shoe', value: 1 },
    { op: 'test', path: 'title' },
    { op: 'replace', value: { active: 'FALSE', title: 'T', displayName: { a: 1 }, shoe: 2 } },
    { op: 'remove', path: 'userName' },
    { op: 'replace', path: 'meta.created', value: 'x' },
  );
  assert.deepEqual(changed, { ...person, title: 'T', active: false });
  assert.deepEqual(
    intake.notes.map((one) => one.attribute),
    ['shoe', 'title', 'displayName', 'shoe', 'meta.created', 'userName'],
  );
});

test('a resource that leaves out refused parts keeps the stored values of these only', () => {
  const intake = newIntake(true);
  const body = { userName: 'b@example.com', emails: 7, active: false, shoe: 1, roles: ['x'] };
  assert.deepEqual(readResource(userType, body, intake, { ...person, title: 'T' }), {
    userName: 'b@example.com',
    emails: person['emails'],
    active: false,
  });
  assert.throws(() => readResource(userType, { shoe: 1 }, newIntake(), person), /attribute shoe/);
});
