import { type Document, parseDocument } from 'yaml';
import { Refusal } from '../failure.ts';
import { listOf, mapOf, type Problems, recordOf, textOf, textsOf, timeOf } from './values.ts';

// The file of a tenant's rights. Its keys are those of the API. A part that it does not contain is unchanged.

export type WantedRole = {
  Slug: string;
  Name?: string | undefined;
  Description?: string | undefined;
  Permissions?: string[] | undefined;
};
export type WantedGroup = {
  Path: string;
  Name?: string | undefined;
  Description?: string | undefined;
  ExternalID?: string | undefined;
  Metadata?: Record<string, string> | undefined;
  /** Email addresses or IDs of users. */
  Members?: string[] | undefined;
};
/** The subject is a user (address or ID), a group (path) or a bot (name or ID). */
export type WantedGrant = {
  kind: SubjectKind;
  subject: string;
  Role: string;
  Resource: string;
  ExpiresAt?: string | undefined;
};
export type SubjectKind = 'User' | 'Group' | 'Bot';

export type Wanted = {
  Tenant?: string | undefined;
  Roles?: WantedRole[] | undefined;
  Groups?: WantedGroup[] | undefined;
  Grants?: WantedGrant[] | undefined;
};

const kinds: readonly SubjectKind[] = ['User', 'Group', 'Bot'];

/** Reads the file. @throws Refusal with all problems */
export function readWanted(text: string, name: string): Wanted {
  const document = parseDocument(text);
  const problems: Problems = document.errors.map(({ message }) => message.split('\n')[0] ?? '');
  const value = problems.length === 0 ? valueOf(document, problems) : undefined;
  const wanted = problems.length === 0 ? read(value, problems) : {};
  if (problems.length > 0)
    throw new Refusal(problems.map((problem) => `${name}: ${problem}`).join('\n'));
  return wanted;
}

/** Converts the document. Only here are unknown or excessive YAML aliases detected. */
function valueOf(document: Document, problems: Problems): unknown {
  try {
    return document.toJS();
  } catch (error) {
    problems.push((error as Error).message);
    return undefined;
  }
}

function read(value: unknown, problems: Problems): Wanted {
  const file = recordOf(value, 'the file', ['Tenant', 'Roles', 'Groups', 'Grants'], problems);
  const wanted: Wanted = {
    Tenant: textOf(file, 'Tenant', '', problems),
    Roles: listOf(file, 'Roles', '', problems)?.map((item, index) =>
      readRole(item, `Roles[${index}]`, problems),
    ),
    Groups: listOf(file, 'Groups', '', problems)?.map((item, index) =>
      readGroup(item, `Groups[${index}]`, problems),
    ),
    Grants: listOf(file, 'Grants', '', problems)?.map((item, index) =>
      readGrant(item, `Grants[${index}]`, problems),
    ),
  };
  assertOnce(
    wanted.Roles?.map(({ Slug }) => Slug),
    'role',
    problems,
  );
  assertOnce(
    wanted.Groups?.map(({ Path }) => pathKey(Path)),
    'group',
    problems,
  );
  return wanted;
}

function readRole(value: unknown, at: string, problems: Problems): WantedRole {
  const role = recordOf(value, at, ['Slug', 'Name', 'Description', 'Permissions'], problems);
  return {
    Slug: textOf(role, 'Slug', at, problems, true) ?? '',
    Name: textOf(role, 'Name', at, problems),
    Description: textOf(role, 'Description', at, problems),
    Permissions: textsOf(role, 'Permissions', at, problems),
  };
}

function readGroup(value: unknown, at: string, problems: Problems): WantedGroup {
  const group = recordOf(
    value,
    at,
    ['Path', 'Name', 'Description', 'ExternalID', 'Metadata', 'Members'],
    problems,
  );
  return {
    Path: textOf(group, 'Path', at, problems, true) ?? '',
    Name: textOf(group, 'Name', at, problems),
    Description: textOf(group, 'Description', at, problems),
    ExternalID: textOf(group, 'ExternalID', at, problems),
    Metadata: mapOf(group, 'Metadata', at, problems),
    Members: textsOf(group, 'Members', at, problems),
  };
}

function readGrant(value: unknown, at: string, problems: Problems): WantedGrant {
  const grant = recordOf(value, at, [...kinds, 'Role', 'Resource', 'ExpiresAt'], problems);
  const [kind = 'User', ...others] = kinds.filter((name) => Object.hasOwn(grant, name));
  if (others.length > 0 || !Object.hasOwn(grant, kind))
    problems.push(`${at} must have one of User, Group and Bot`);
  return {
    kind,
    subject: textOf(grant, kind, at, problems) ?? '',
    Role: textOf(grant, 'Role', at, problems, true) ?? '',
    Resource: textOf(grant, 'Resource', at, problems) ?? '',
    ExpiresAt: timeOf(grant, 'ExpiresAt', at, problems),
  };
}

function assertOnce(names: readonly string[] | undefined, what: string, problems: Problems): void {
  const repeated =
    names?.filter((name, index) => name !== '' && names.indexOf(name) !== index) ?? [];
  problems.push(...new Set(repeated.map((name) => `the ${what} ${name} appears more than once`)));
}

/** Paths are equal regardless of letter case and a leading slash. */
export const pathKey = (path: string): string => path.replace(/^\//, '').toLowerCase();

/** The identity of a grant: subject, role and resource. The expiry is not part of it. */
export const grantKey = ({ kind, subject, Role, Resource }: WantedGrant) =>
  JSON.stringify([kind, kind === 'Group' ? pathKey(subject) : subject, Role, Resource]);
