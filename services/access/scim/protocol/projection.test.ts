import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyProjection, readProjection, shows } from './projection.ts';
import type { Resource } from './resource.ts';
import { groupType, userType } from './schemas.ts';

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

const person: Resource = {
  schemas: ['urn:x'],
  id: 'scu_1',
  userName: 'a',
  name: { givenName: 'A', familyName: 'B' },
  emails: [{ value: 'a@example.com', type: 'work' }],
  [enterprise]: { department: 'D', manager: { value: '26', displayName: 'M' } },
};

const project = (query: Record<string, string>) =>
  applyProjection(
    userType,
    person,
    readProjection((name) => query[name]),
  );

const { schemas, id } = person;

test('attributes shows what it names, with the ID and the schemas', () => {
  assert.deepEqual(project({ attributes: 'USERNAME, name.givenName,shoeSize' }), {
    schemas,
    id,
    userName: 'a',
    name: { givenName: 'A' },
  });
  assert.deepEqual(project({ attributes: `emails.value,${enterprise}:manager.value` }), {
    schemas,
    id,
    emails: [{ value: 'a@example.com' }],
    [enterprise]: { manager: { value: '26' } },
  });
  assert.deepEqual(project({ attributes: enterprise }), {
    schemas,
    id,
    [enterprise]: person[enterprise],
  });
});

test('excludedAttributes leaves out what it names, and never the ID and the schemas', () => {
  const query = { excludedAttributes: `id,schemas,name,emails.type,${enterprise}:department` };
  assert.deepEqual(project(query), {
    schemas,
    id,
    userName: 'a',
    emails: [{ value: 'a@example.com' }],
    [enterprise]: { manager: { value: '26', displayName: 'M' } },
  });
  assert.ok(!(enterprise in project({ excludedAttributes: enterprise })));
  assert.deepEqual(project({}), person);
});

test('the members of a group are read only if they are shown', () => {
  const isShown = (query: Record<string, string>) =>
    shows(
      readProjection((name) => query[name]),
      'members',
    );
  assert.equal(isShown({}), true);
  assert.equal(isShown({ attributes: 'members.value' }), true);
  assert.equal(isShown({ attributes: 'displayName' }), false);
  assert.equal(isShown({ excludedAttributes: 'Members' }), false);
  const group: Resource = { id: 'grp_1', displayName: 'G', members: [{ value: 'scu_1' }] };
  const excluded = readProjection((name) => (name === 'excludedAttributes' ? 'members' : ''));
  assert.deepEqual(applyProjection(groupType, group, excluded), { id: 'grp_1', displayName: 'G' });
});
