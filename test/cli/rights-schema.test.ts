import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { roleProblems } from '@bailiwick/access/roles/save.ts';
import { type RightsFile, rightsFileOf } from '@bailiwick/cli/state/file.ts';
import { createId, decodeJson, permissions, validate } from '@bailiwick/contract';
import { PermissionCheckSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/access_pb.ts';
import {
  GrantsAddRequestSchema,
  GroupGrantsAddRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/grants_pb.ts';
import { GroupsSaveRequestSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/groups_pb.ts';
import {
  type RolesSaveRequest,
  RolesSaveRequestSchema,
} from '@bailiwick/proto/gen/bailiwick/access/v1/roles_pb.ts';
import type { DescMessage } from '@bufbuild/protobuf';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { createCli } from './cli.ts';

// The published schema of a rights file and the definition that bailiwick and the service use accept and refuse the same files.

const file = path.resolve(import.meta.dirname, '../../packages/cli/rights.schema.json');
const schema = JSON.parse(readFileSync(file, 'utf8')) as object;
// enumDescriptions is a keyword of editors.
const ajv = new Ajv({
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  keywords: ['enumDescriptions'],
});
const matches = ajv.compile(schema);

const Tenant = createId('tnt');
const UserID = createId('usr');

/** The problems that the service would find in a request. */
function requestProblems(message: DescMessage, json: object): string[] {
  const decoded = decodeJson(message, JSON.parse(JSON.stringify(json)));
  const problems = validate(message, decoded.message);
  return message === RolesSaveRequestSchema
    ? [...problems, ...roleProblems(decoded.message as RolesSaveRequest).map(({ text }) => text)]
    : problems;
}

function serviceProblems({
  Roles = [],
  Groups = [],
  Grants = [],
  Policy = [],
}: RightsFile): string[] {
  const holders = Policy.flatMap(({ Only }) => Only);
  const ofRule = (Permission: string) =>
    Permission.startsWith('iam.')
      ? requestProblems(RolesSaveRequestSchema, {
          Role: { Tenant, Slug: 'editor', Permissions: [Permission] },
        })
      : requestProblems(PermissionCheckSchema, { Permission });
  const ofGroup = (Group: string) =>
    requestProblems(GroupGrantsAddRequestSchema, { Grant: { Tenant, Group, Role: 'editor' } });
  const ofRole = (Role: string, Resource = '') =>
    requestProblems(GrantsAddRequestSchema, { Grant: { Tenant, UserID, Role, Resource } });
  return [
    ...Roles.flatMap((Role) =>
      requestProblems(RolesSaveRequestSchema, { Role: { Tenant, ...Role } }),
    ),
    ...Groups.map((group) => ({ ...group, Members: undefined })).flatMap((Group) =>
      requestProblems(GroupsSaveRequestSchema, { Group: { Tenant, ...Group } }),
    ),
    ...Grants.flatMap(({ Role, Resource }) => ofRole(Role, Resource)),
    ...[...Grants, ...holders].flatMap(({ kind, subject }) =>
      kind === 'Group' ? ofGroup(subject) : [],
    ),
    ...holders.flatMap(({ kind, subject }) => (kind === 'Role' ? ofRole(subject) : [])),
    ...Policy.flatMap(({ Permission }) => ofRule(Permission)),
  ];
}

function problemsOf(value: unknown): string[] {
  try {
    return serviceProblems(rightsFileOf(value, 'file'));
  } catch (error) {
    return [(error as Error).message];
  }
}

function assertAlike(value: unknown): void {
  const problems = problemsOf(value);
  const valid = matches(value);
  assert.equal(
    valid,
    problems.length === 0,
    `${JSON.stringify(value)}: ${problems.join('; ')}; ${ajv.errorsText(matches.errors)}`,
  );
}

const oneOf = (...values: unknown[]) => fc.constantFrom(...values);
/** A value that is sometimes of another type, or absent. */
const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary }, { weight: 1, arbitrary: oneOf(null, 1, 'x', [], {}) });
const record = (model: Record<string, fc.Arbitrary<unknown>>, ...required: string[]) =>
  fc.record(Object.fromEntries(Object.entries(model).map(([key, value]) => [key, mostly(value)])), {
    requiredKeys: required,
  });

const permission = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...permissions) },
  {
    weight: 4,
    arbitrary: oneOf(
      '*',
      'iam.*',
      'iam.grants.*',
      'iam.grant.*',
      'iam.grants.wirte',
      'iam.platform.*',
      'iam.internal.*',
      'iam',
      'iam.',
      'iam.**',
      'iam.gr*',
      'iamx.a',
      'iam:a',
      'app.a',
      'app.*',
      'App.a',
      'app.a.*',
      'app',
      'a b',
      `app.${'x'.repeat(123)}`,
      `app.${'x'.repeat(125)}`,
    ),
  },
);
const slug = oneOf(
  'editor',
  'owner',
  'e',
  'Editor',
  'a-b',
  '9a',
  'x'.repeat(63),
  'x'.repeat(64),
  '',
);
const place = oneOf(
  'eng',
  '/eng/backend',
  'eng//x',
  'a/b/c/d/e/f/g/h',
  'a/b/c/d/e/f/g/h/i',
  '.x',
  'é',
  '',
);
const time = oneOf('2027-01-31T12:00:00Z', '2027-01-31', '2027-01-31T12:00:00.5+02:00', '');
const text = (max: number) => oneOf('', 'x', 'é'.repeat(max), 'x'.repeat(max + 1));
const holders = { User: oneOf('ada@example.com', ''), Group: place, Bot: oneOf('deployer') };
const grant = record({ ...holders, Role: slug, Resource: text(256), ExpiresAt: time }, 'Role');
const rule = record(
  {
    Permission: permission,
    Only: fc.array(record({ ...holders, Role: slug }), { maxLength: 2 }),
    Message: oneOf('ask', ''),
  },
  'Permission',
  'Only',
);
// One role and one group: JSON Schema cannot refuse a name that appears twice, as the parser does.
const rights = record({
  $schema: oneOf('https://id.example.com/docs/guides/rights.schema.json'),
  Tenant: oneOf('acme'),
  Roles: fc.array(
    record(
      {
        Slug: slug,
        Name: text(128),
        Description: text(512),
        Permissions: fc.array(permission, { maxLength: 2 }),
      },
      'Slug',
    ),
    { maxLength: 1 },
  ),
  Groups: fc.array(
    record(
      {
        Path: place,
        Name: text(256),
        Description: text(512),
        ExternalID: text(256),
        Metadata: oneOf({}, { a: 'b' }, { a: 1 }),
        Members: fc.array(oneOf('ada@example.com', '', 7)),
      },
      'Path',
    ),
    { maxLength: 1 },
  ),
  Grants: fc.array(grant, { maxLength: 2 }),
  Policy: fc.array(rule, { maxLength: 2 }),
  Other: oneOf(undefined),
});

test('the schema of a rights file accepts what the parser and the service accept, and refuses the rest', () => {
  let accepted = 0;
  const single = fc.oneof(
    rights,
    grant.map((one) => ({ Grants: [one] })),
    rule.map((one) => ({ Policy: [one] })),
    permission.map((one) => ({ Roles: [{ Slug: 'editor', Permissions: [one] }] })),
  );
  fc.assert(
    fc.property(single, (document) => {
      const json: unknown = JSON.parse(JSON.stringify(document));
      assertAlike(json);
      if (matches(json)) accepted++;
    }),
    { numRuns: 4000 },
  );
  assert.ok(accepted > 200, `only ${accepted} valid files`);
});

test('examples: each permission, and each kind of mistake', () => {
  for (const one of permissions) assertAlike({ Roles: [{ Slug: 'editor', Permissions: [one] }] });
  for (const document of [[], 'x', null, {}, { Rolls: [] }, { Roles: null }, { Grants: [{}] }])
    assertAlike(document);
  for (const Grants of [
    [{ Role: 'editor' }],
    [{ User: 'a', Bot: 'b', Role: 'editor' }],
    [{ User: null, Role: 'editor' }],
    [{ User: 'a', Bot: null, Role: 'editor' }],
  ])
    assertAlike({ Grants });
  for (const Only of [undefined, null, [], [{}], [{ Role: 'owner', Group: 'a' }], [{ Role: '' }]])
    assertAlike(JSON.parse(JSON.stringify({ Policy: [{ Permission: 'iam.grants.*', Only }] })));
});

test('bailiwick schema prints the schema', async () => {
  const cli = createCli('http://127.0.0.1:1');
  const { code, stdout } = await cli.run(['schema']);
  cli.remove();
  assert.equal(code, 0);
  assert.deepEqual(JSON.parse(stdout), schema);
});
