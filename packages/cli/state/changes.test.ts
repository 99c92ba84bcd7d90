import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import type { Client } from '../../client/client.ts';
import { differences } from './changes.ts';
import { readRightsFile, rightsFileOf } from './file.ts';
import { type Live, type LiveGrant, resolveSubjects } from './live.ts';

const tenant = 'tnt_1';
const role = (Slug: string, Permissions: string[], System = false) => ({
  ID: '',
  Tenant: tenant,
  Slug,
  Name: '',
  Description: '',
  Permissions,
  System,
  UpdatedAt: 't1',
});
const group = (Path: string) => ({
  ID: '',
  Tenant: tenant,
  Path,
  Name: '',
  Description: '',
  ExternalID: '',
  Source: 'api',
  Metadata: { a: '1', b: '2' },
  UpdatedAt: 't1',
});
const grant = (
  kind: LiveGrant['kind'],
  subject: string,
  Role: string,
  ExpiresAt?: string,
): LiveGrant => ({
  ID: `grt_${subject}_${Role}`,
  kind,
  subject,
  Role,
  Resource: '',
  ExpiresAt,
});

const live: Live = {
  roles: [role('owner', ['iam.*'], true), role('editor', ['app.a', 'app.b']), role('old', [])],
  groups: [group('eng'), group('Eng/Backend'), group('old')],
  members: new Map([
    ['eng', ['usr_1', 'usr_2']],
    ['eng/backend', []],
  ]),
  grants: [
    grant('User', 'usr_1', 'owner'),
    grant('User', 'usr_2', 'editor', '2027-01-01T00:00:00.000Z'),
    grant('Group', 'old', 'editor'),
    grant('Group', 'eng', 'editor'),
    grant('Bot', 'bot_1', 'editor'),
  ],
};

const texts = (yaml: string) => {
  const { changes, removals } = differences(
    tenant,
    rightsFileOf(parse(yaml), 'file'),
    live,
    new Map([['usr_3', 'ada@example.com']]),
  );
  return { changes: changes.map(({ text }) => text), removals: removals.map(({ text }) => text) };
};

test('records that exist already cause no change, in any order and spelling', () => {
  const { changes } = texts(`
Roles: [{ Slug: editor, Permissions: [app.b, app.a, app.a] }]
Groups:
  - { Path: /ENG, Members: [usr_2, usr_1], Metadata: { b: '2', a: '1' } }
  - { Path: eng/backend, Name: '' }
Grants:
  - { User: usr_2, Role: editor, ExpiresAt: 2027-01-01T01:00:00+01:00 }
  - { Group: ENG, Role: editor }
`);
  assert.deepEqual(changes, []);
});

test('dependencies are created first and removed last', () => {
  const { changes, removals } = texts(`
Roles: [{ Slug: viewer, Permissions: [app.a] }, { Slug: editor, Permissions: [app.a] }]
Groups: [{ Path: eng, Name: New, Members: [usr_3] }, { Path: eng/new, Members: [usr_3] }]
Grants: [{ Group: eng/new, Role: viewer }, { User: usr_2, Role: editor }, { Bot: bot_1, Role: viewer, Resource: r1, ExpiresAt: 2030-01-01T00:00:00Z }]
`);
  assert.deepEqual(changes, [
    '+ role viewer',
    '~ role editor (Permissions)',
    '~ group eng (Name)',
    '+ group eng/new',
    '+ member ada@example.com of eng',
    '+ member ada@example.com of eng/new',
    '+ grant of viewer to group eng/new',
    '~ grant of editor to user usr_2 without expiry',
    '+ grant of viewer to bot bot_1 for r1 until 2030-01-01T00:00:00Z',
  ]);
  // The owner and built-in roles stay. The grant to a deleted group needs no removal of its own.
  assert.deepEqual(removals, [
    '- grant of editor to group eng',
    '- grant of editor to bot bot_1',
    '- member usr_1 of eng',
    '- member usr_2 of eng',
    '- group Eng/Backend',
    '- group old',
    '- role old',
  ]);
});

test('a part that the file does not contain is unchanged, and a group that a grant names is kept', () => {
  assert.deepEqual(texts('Roles: [{ Slug: editor }, { Slug: old }]'), {
    changes: [],
    removals: [],
  });
  assert.deepEqual(
    texts(
      'Groups: [{ Path: eng }, { Path: eng/backend }]\nGrants: [{ Group: old, Role: editor }, { Group: eng, Role: editor }]',
    ).removals,
    ['- grant of editor to user usr_2', '- grant of editor to bot bot_1'],
  );
});

test('a change is saved only over the state that was read', () => {
  const { changes } = differences(
    tenant,
    { Roles: [{ Slug: 'editor', Name: 'E' }, { Slug: 'new' }] },
    live,
    new Map(),
  );
  assert.deepEqual(
    changes.map(({ request }) => request),
    [
      { Role: { Tenant: tenant, Slug: 'editor', Name: 'E' }, IfUpdatedAt: 't1' },
      { Role: { Tenant: tenant, Slug: 'new' }, IfUpdatedAt: undefined },
    ],
  );
});

test('the example file in README.md is valid', async () => {
  const document = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8');
  const { Roles, Groups, Grants, Policy } = await readRightsFile(
    /^```yaml\n(.*?)^```$/ms.exec(document)?.[1] ?? '',
    'README.md',
  );
  assert.deepEqual([Roles?.length, Groups?.length, Grants?.length, Policy?.length], [1, 1, 3, 1]);
});

test('all problems of a file are reported at once, with their place', async () => {
  const wrong = `
Tenants: acme
Roles: [{ Name: 1, Permissions: app.a }, { Slug: a }, { Slug: a }]
Groups: [{ Path: eng, Members: [1] }, { Path: /Eng }, text]
Grants: [{ Role: a }, { User: a, Group: b, Role: a }, { User: a, ExpiresAt: soon }, { User: a, Role: a, ExpiresAt: 2027-01-31 }]
`;
  await assert.rejects(readRightsFile(wrong, 'acme.yaml'), (error: Error) => {
    for (const part of [
      'acme.yaml: the file has no key Tenants',
      'Roles[0].Slug is missing',
      'Roles[0].Name must be a string',
      'Roles[0].Permissions must be a list',
      'the role a appears more than once',
      'Groups[0].Members must be a list of strings',
      'Groups[2] must be an object',
      'the group eng appears more than once',
      'Grants[0] must have one of User, Group and Bot',
      'Grants[1] must have one of User, Group and Bot',
      'Grants[2].ExpiresAt must be a time',
      'Grants[2].Role is missing',
      'Grants[3].ExpiresAt must be a time',
    ])
      assert.ok(error.message.includes(part), `${part}\n\n${error.message}`);
    return true;
  });
  await assert.rejects(readRightsFile('Roles: [', 'x'), /^Error: x: /);
  await assert.rejects(readRightsFile('Roles: *none', 'x'), /^Error: x: Unresolved alias[^\n]*$/);
  await assert.rejects(readRightsFile('', 'x'), /the file must be an object/);
});

test('a grant that appears twice, by address and by ID, is rejected: their expiries could differ', async () => {
  const client = { call: () => Promise.resolve({ User: { ID: 'usr_1' } }) } as unknown as Client;
  const resolve = async (...more: string[]) =>
    resolveSubjects(
      client,
      tenant,
      await readRightsFile(
        `Grants: [{ User: usr_1, Role: a, ExpiresAt: 2027-01-31T00:00:00Z }, ${more.join()}]`,
        'file',
      ),
    );
  await assert.rejects(
    resolve('{ User: ada@example.com, Role: a }'),
    /the grant of a to user usr_1 appears more than once/,
  );
  await assert.rejects(
    resolve('{ Group: eng, Role: a }', '{ Group: /Eng, Role: a }'),
    /the grant of a to group \/Eng appears more than once/,
  );
  const { rights } = await resolve(
    '{ User: ada@example.com, Role: b }',
    '{ User: usr_1, Role: a, Resource: r1 }',
  );
  assert.equal(rights.Grants?.length, 3);
});
