import type { ImportedUserInput } from '../gen/types.ts';
import type { Json } from './records.ts';
import { flagProblems, isTrue, object, text } from './values.ts';

/** A user for Users_Import, and why it cannot be imported. */
export type Reading = {
  user: ImportedUserInput;
  problems: readonly string[];
  isDisabled?: boolean;
};
export type Read = (record: Json) => Reading;

/** The code in the verdict of a user whom the other system has disabled. */
export const disabledCode = 'disabled';

/**
 * A line of JSON Lines is a user as Users_Import takes it; a failed one also has its verdict. The
 * verdict keeps a disabled user out, so that a corrected file does not let such a user sign in.
 */
export const jsonl: Read = ({ Verdict: verdict, ...user }) => {
  const { Tenants = [] } = user;
  const isList =
    Array.isArray(Tenants) && Tenants.every((one) => typeof object(one)['Tenant'] === 'string');
  return {
    user: { ...user, Email: text(user['Email']) },
    isDisabled: object(verdict)['Code'] === disabledCode,
    problems: isList ? [] : ['Tenants must be a list of records, each with a Tenant'],
  };
};

/** The columns of CSV. Metadata has a column for each of its keys, such as Metadata.plan. */
export const columns = [
  'Email',
  'EmailVerified',
  'ExternalID',
  'Name',
  'GivenName',
  'FamilyName',
  'Picture',
  'Locale',
  'PasswordHash',
  'Tenant',
  'Roles',
  'Groups',
] as const;

const words = (list: unknown): string[] =>
  text(list)
    .split(/\s+/)
    .filter((word) => word !== '');

/** A column of CSV is a field of Users_Import. Roles and Groups are separated by spaces. */
export const csv: Read = ({ Email, EmailVerified, Tenant, Roles, Groups, ...others }) => {
  const isMetadata = (name: string) => name.startsWith('Metadata.');
  const named = Object.entries(others).filter(([, value]) => text(value) !== '');
  const metadata = named
    .filter(([name]) => isMetadata(name))
    .map(([name, value]) => [name.slice('Metadata.'.length), value]);
  const user = {
    ...Object.fromEntries(named.filter(([name]) => !isMetadata(name))),
    Email: text(Email),
    EmailVerified: isTrue(EmailVerified),
    ...(metadata.length > 0 && {
      Metadata: Object.fromEntries(metadata) as Record<string, string>,
    }),
    // Roles and groups without a tenant are those in the tenant of the import.
    ...([Tenant, Roles, Groups].some((column) => text(column) !== '') && {
      Tenants: [{ Tenant: text(Tenant), Roles: words(Roles), Groups: words(Groups) }],
    }),
  };
  return { user, problems: flagProblems('EmailVerified', EmailVerified) };
};

const ofMembership: readonly string[] = ['Tenant', 'Roles', 'Groups'];

const fields: readonly string[] = [
  ...columns.filter((column) => !ofMembership.includes(column)),
  'Metadata',
  'Tenants',
  'Verdict',
];

/** Whether `csv` reads a column of this name. */
export const isColumn = (name: string): boolean =>
  columns.some((column) => column === name) || name.startsWith('Metadata.');

/** Whether `jsonl` reads a field of this name. */
export const isField = (name: string): boolean => fields.includes(name);

/**
 * The fault of the first line of CSV: columns that are missing or, if `isKnown` says so, not known.
 * Undefined for a right one.
 */
export function headProblem(
  names: readonly string[],
  required: readonly string[],
  isKnown: (name: string) => boolean = () => true,
): string | undefined {
  const some = (list: readonly string[]) =>
    list
      .slice(0, 12)
      .map((name) => name.slice(0, 60))
      .join(', ');
  const missing = required.filter((name) => !names.includes(name));
  if (missing.length > 0) return `the file has no column ${some(missing)}; it has ${some(names)}`;
  const unknown = names.filter((name) => !isKnown(name));
  return unknown.length > 0
    ? `the import does not know the column ${some(unknown)}; it knows ${columns.join(', ')} and Metadata.*`
    : undefined;
}
