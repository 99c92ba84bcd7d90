import { Refusal } from '../failure.ts';
import { listOf, mapOf, type Problems, recordOf, textOf, textsOf, timeOf } from './values.ts';
import { parseYaml } from './yaml.ts';

// The file of a tenant's rights. Its keys are those of the API. A part that it does not contain is unchanged.

/** The keys of the file and of its records. rights-schema.ts describes each of them for editors. */
export const keys = {
  file: ['$schema', 'Tenant', 'Roles', 'Groups', 'Grants', 'Policy'],
  role: ['Slug', 'Name', 'Description', 'Permissions'],
  group: ['Path', 'Name', 'Description', 'ExternalID', 'Metadata', 'Members'],
  grant: ['User', 'Group', 'Bot', 'Role', 'Resource', 'ExpiresAt'],
  rule: ['Permission', 'Only', 'Message'],
  holder: ['Role', 'User', 'Group', 'Bot'],
} as const;

/** The form of a permission, with "*" only as its last segment. */
export const permissionForm = /^([*]|[a-z][a-z0-9_-]*([.:][a-z0-9_-]+){0,4}[.:]([a-z0-9_-]+|[*]))$/;

export type FileRole = {
  Slug: string;
  Name?: string | undefined;
  Description?: string | undefined;
  Permissions?: string[] | undefined;
};
export type FileGroup = {
  Path: string;
  Name?: string | undefined;
  Description?: string | undefined;
  ExternalID?: string | undefined;
  Metadata?: Record<string, string> | undefined;
  /** Email addresses or IDs of users. */
  Members?: string[] | undefined;
};
/** The subject is a user (address or ID), a group (path) or a bot (name or ID). */
export type FileGrant = {
  kind: SubjectKind;
  subject: string;
  Role: string;
  Resource: string;
  ExpiresAt?: string | undefined;
};
export type SubjectKind = 'User' | 'Group' | 'Bot';

/** All who have a role in the whole tenant, a user, a group with the groups below it, or a bot. */
export type Holder = { kind: 'Role' | SubjectKind; subject: string };
/** A permission that only these may gain. Without holders, no one may. */
export type Rule = {
  Permission: string;
  Only: Holder[];
  Message?: string | undefined;
  /** Whether the rule is of the file before the change. */
  isBase?: boolean | undefined;
};

export type RightsFile = {
  Tenant?: string | undefined;
  Roles?: FileRole[] | undefined;
  Groups?: FileGroup[] | undefined;
  Grants?: FileGrant[] | undefined;
  Policy?: Rule[] | undefined;
};

const kinds: readonly SubjectKind[] = ['User', 'Group', 'Bot'];

/** Reads the file. @throws Refusal with all problems */
export async function readRightsFile(text: string, name: string): Promise<RightsFile> {
  const { value, problems } = await parseYaml(text);
  refuse(problems, name);
  return rightsFileOf(value, name);
}

/** Reads the parsed file. @throws Refusal with all problems */
export function rightsFileOf(value: unknown, name: string): RightsFile {
  const problems: Problems = [];
  const rights = read(value, problems);
  refuse(problems, name);
  return rights;
}

function refuse(problems: Problems, name: string): void {
  if (problems.length > 0)
    throw new Refusal(problems.map((problem) => `${name}: ${problem}`).join('\n'));
}

function read(value: unknown, problems: Problems): RightsFile {
  const file = recordOf(value, 'the file', keys.file, problems);
  textOf(file, '$schema', '', problems);
  const rights: RightsFile = {
    Tenant: textOf(file, 'Tenant', '', problems),
    Roles: listOf(file, 'Roles', '', problems)?.map((role, index) =>
      readRole(role, `Roles[${index}]`, problems),
    ),
    Groups: listOf(file, 'Groups', '', problems)?.map((group, index) =>
      readGroup(group, `Groups[${index}]`, problems),
    ),
    Grants: listOf(file, 'Grants', '', problems)?.map((grant, index) =>
      readGrant(grant, `Grants[${index}]`, problems),
    ),
    Policy: listOf(file, 'Policy', '', problems)?.map((rule, index) =>
      readRule(rule, `Policy[${index}]`, problems),
    ),
  };
  assertOnce(
    rights.Roles?.map(({ Slug }) => Slug),
    'role',
    problems,
  );
  assertOnce(
    rights.Groups?.map(({ Path }) => pathKey(Path)),
    'group',
    problems,
  );
  return rights;
}

function readRole(value: unknown, at: string, problems: Problems): FileRole {
  const role = recordOf(value, at, keys.role, problems);
  return {
    Slug: textOf(role, 'Slug', at, problems, true) ?? '',
    Name: textOf(role, 'Name', at, problems),
    Description: textOf(role, 'Description', at, problems),
    Permissions: textsOf(role, 'Permissions', at, problems),
  };
}

function readGroup(value: unknown, at: string, problems: Problems): FileGroup {
  const group = recordOf(value, at, keys.group, problems);
  return {
    Path: textOf(group, 'Path', at, problems, true) ?? '',
    Name: textOf(group, 'Name', at, problems),
    Description: textOf(group, 'Description', at, problems),
    ExternalID: textOf(group, 'ExternalID', at, problems),
    Metadata: mapOf(group, 'Metadata', at, problems),
    Members: textsOf(group, 'Members', at, problems),
  };
}

function readGrant(value: unknown, at: string, problems: Problems): FileGrant {
  const grant = recordOf(value, at, keys.grant, problems);
  const [kind = 'User', ...others] = kinds.filter((name) => Object.hasOwn(grant, name));
  if (others.length > 0 || !Object.hasOwn(grant, kind))
    problems.push(`${at} must have one of User, Group and Bot`);
  return {
    kind,
    subject: textOf(grant, kind, at, problems, Object.hasOwn(grant, kind)) ?? '',
    Role: textOf(grant, 'Role', at, problems, true) ?? '',
    Resource: textOf(grant, 'Resource', at, problems) ?? '',
    ExpiresAt: timeOf(grant, 'ExpiresAt', at, problems),
  };
}

function readRule(value: unknown, at: string, problems: Problems): Rule {
  const rule = recordOf(value, at, keys.rule, problems);
  const Permission = textOf(rule, 'Permission', at, problems, true) ?? '';
  if (Permission !== '' && !permissionForm.test(Permission))
    problems.push(`${at}.Permission must be a permission such as iam.grants.*`);
  const only = listOf(rule, 'Only', at, problems);
  // Without the key, a misspelt or forgotten Only would forbid what it should allow.
  if (only === undefined && rule['Only'] === undefined) problems.push(`${at}.Only is missing`);
  return {
    Permission,
    Only: (only ?? []).map((holder, index) => readHolder(holder, `${at}.Only[${index}]`, problems)),
    Message: textOf(rule, 'Message', at, problems),
  };
}

function readHolder(value: unknown, at: string, problems: Problems): Holder {
  const holder = recordOf(value, at, keys.holder, problems);
  const [kind = 'Role', ...others] = keys.holder.filter((name) => Object.hasOwn(holder, name));
  if (others.length > 0) problems.push(`${at} must have one of ${keys.holder.join(', ')}`);
  return { kind, subject: textOf(holder, kind, at, problems, true) ?? '' };
}

function assertOnce(names: readonly string[] | undefined, what: string, problems: Problems): void {
  const repeated =
    names?.filter((name, index) => name !== '' && names.indexOf(name) !== index) ?? [];
  problems.push(...new Set(repeated.map((name) => `the ${what} ${name} appears more than once`)));
}

/** Paths are equal regardless of letter case and a leading slash. */
export const pathKey = (path: string): string => path.replace(/^\//, '').toLowerCase();

/** The identity of a grant: subject, role and resource. The expiry is not part of it. */
export const grantKey = ({ kind, subject, Role, Resource }: FileGrant) =>
  JSON.stringify([kind, kind === 'Group' ? pathKey(subject) : subject, Role, Resource]);
