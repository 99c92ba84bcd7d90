import { describedPermissions } from '@bailiwick/access/roles/permission-list.ts';
import { keys, permissionForm } from '@bailiwick/cli/state/file.ts';

// Generates packages/cli/rights.schema.json, with which editors complete and check a rights file. Its keys are those of the
// parser, and its permissions those of packages/contract/permissions.ts. A test compares it with the parser and the rules of the service.

type Schema = Readonly<Record<string, unknown>>;

const text = (description: string, more: Schema = {}): Schema => ({
  description,
  type: 'string',
  ...more,
});
/** The parser reads a key without a value as an absent one. */
const optionalText = (description: string, more: Schema = {}): Schema => ({
  description,
  type: ['string', 'null'],
  ...more,
});
/** The parser reads a list without a value as an empty one. */
const list = (description: string, items: Schema, more: Schema = {}): Schema => ({
  description,
  type: ['array', 'null'],
  items,
  ...more,
});
const record = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...more,
});
/** A record with exactly one of some keys. */
const oneOf = (names: readonly string[]): Schema => ({
  oneOf: names.map((name) => ({ required: [name] })),
});
const ref = (name: string): Schema => ({ $ref: `#/definitions/${name}` });

const slug = { pattern: '^[a-z][a-z0-9-]{1,62}$' };
const segment = '[A-Za-z0-9][A-Za-z0-9._-]{0,62}';
const path = { pattern: `^/?${segment}(/${segment}){0,7}$`, maxLength: 255 };
const time = {
  pattern: '^\\d{4}-\\d\\d-\\d\\d[Tt]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?([Zz]|[+-]\\d\\d:\\d\\d)$',
};

const subjects = {
  User: text('The address or ID of a user, who belongs to the tenant already.', { minLength: 1 }),
  Group: text('The path of a group.', path),
  Bot: text('The name or ID of a bot. Use the ID if several bots have the name.', { minLength: 1 }),
};

const file: Record<(typeof keys.file)[number], Schema> = {
  $schema: optionalText('The address of this schema. Only editors read it.'),
  Tenant: optionalText('The ID of the tenant, or its slug if you belong to it. Bots need the ID.'),
  Roles: list('The roles of the tenant. Without the key, roles do not change.', ref('role')),
  Groups: list('The groups of the tenant. Without the key, groups do not change.', ref('group')),
  Grants: list('The grants of roles. Without the key, grants do not change.', ref('grant')),
  Policy: list('Permissions that only some may gain by a change of this file.', ref('rule')),
};
const role: Record<(typeof keys.role)[number], Schema> = {
  Slug: text('The name of the role in grants. It never changes.', slug),
  Name: optionalText('The name that people see.', { maxLength: 128 }),
  Description: optionalText('What the role is for.', { maxLength: 512 }),
  Permissions: list('All permissions of the role.', ref('permission'), { maxItems: 200 }),
};
const group: Record<(typeof keys.group)[number], Schema> = {
  Path: text(
    'The place in the hierarchy, such as eng/backend. A group has the grants of those above it.',
    path,
  ),
  Name: optionalText('The name that people see.', { maxLength: 256 }),
  Description: optionalText('What the group is for.', { maxLength: 512 }),
  ExternalID: optionalText('The ID in another system.', { maxLength: 256 }),
  Metadata: {
    description: 'Your own keys and values.',
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
  },
  Members: list('All members: addresses or IDs of users. Without the key, members do not change.', {
    type: 'string',
  }),
};
const grant: Record<(typeof keys.grant)[number], Schema> = {
  ...subjects,
  Role: text('The slug of a role: owner, admin, member, auditor, or one of your own.', slug),
  Resource: optionalText(
    'Limits the grant to one resource of your application. Empty: the whole tenant.',
    { maxLength: 256 },
  ),
  ExpiresAt: optionalText('When the grant ends, such as 2027-01-31T12:00:00Z.', time),
};
const rule: Record<(typeof keys.rule)[number], Schema> = {
  Permission: { description: 'The protected permission, or a wildcard.', ...ref('permission') },
  Only: list(
    'Who may gain it: one of these is enough. An empty list lets no one gain it.',
    ref('holder'),
  ),
  Message: optionalText('Shown with a violation, such as the team to ask.'),
};
const holder: Record<(typeof keys.holder)[number], Schema> = {
  ...subjects,
  Role: text('All who have this role in the whole tenant, without an end.', slug),
};

const builtIn = describedPermissions.filter(
  ({ name }) => !/^iam[.](platform|internal)[.]/.test(name),
);
/** iam.* and iam.<area>.*, with the area's permissions as the description. */
const wildcards = [...new Set(builtIn.map(({ name }) => name.split('.').slice(0, -1).join('.')))];
const choices: ReadonlyArray<readonly [name: string, description: string]> = [
  ['*', 'Every permission in the tenant, of Bailiwick and of your applications.'],
  ['iam.*', 'Every permission of Bailiwick in the tenant.'],
  ...wildcards.map((area) => [`${area}.*`, `Every permission that begins with ${area}.`] as const),
  ...builtIn.map(({ name, description }) => [name, description] as const),
];

export function rightsSchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Rights of a tenant',
    description: 'The file of bailiwick plan and bailiwick apply.',
    ...record(file),
    definitions: {
      role: record(role, { required: ['Slug'] }),
      group: record(group, { required: ['Path'] }),
      grant: record(grant, { required: ['Role'], ...oneOf(Object.keys(subjects)) }),
      rule: record(rule, { required: ['Permission', 'Only'] }),
      holder: record(holder, oneOf(keys.holder)),
      permission: {
        anyOf: [
          {
            enum: choices.map(([name]) => name),
            enumDescriptions: choices.map(([, description]) => description),
          },
          {
            description: 'A permission of your own application, such as app.reports.read.',
            type: 'string',
            maxLength: 128,
            pattern: `^(?!iam[.])${permissionForm.source.slice(1)}`,
          },
        ],
      },
    },
  };
}

export const renderRightsSchema = (): string => `${JSON.stringify(rightsSchema(), null, 1)}\n`;
