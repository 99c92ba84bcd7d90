import type { ImportedMembershipInput, ImportedUserInput } from '../gen/types.ts';
import { ImportError } from './error.ts';
import type { FileRecord } from './records.ts';
import { tenantsOf } from './tenants.ts';
import { disabledCode, type Read } from './users.ts';

/** A user of a file, as far as it could be read, and the line. */
export type Row = {
  line: number;
  user: ImportedUserInput;
  /** Why the user is not sent. */
  problem?: string;
  /** The user is disabled in the other system, and is sent only after a person has decided so. */
  isDisabled?: boolean;
  /** The text of a line that is no record. */
  text?: string;
};

const disabled = `the user is disabled in the other system: to import the user, remove Verdict`;

/** The code of a row that is not sent. */
export const codeOf = ({ isDisabled }: Row): string => (isDisabled ? disabledCode : 'not_sent');

export const isSent = ({ problem }: Row): boolean => problem === undefined;

/** The row of a record. `membership` is the one that the import gives to all users. */
export function readRow(
  { line, record, problem, text }: FileRecord,
  read: Read,
  membership: ImportedMembershipInput | undefined,
): Row {
  const { user, problems, isDisabled = false } = read(record);
  if (problem !== undefined) return { line, user, problem, ...(text !== undefined && { text }) };
  try {
    if (user.Email === '') throw new ImportError('the user has no email address');
    if (isDisabled) throw new ImportError([disabled, ...problems].join('; '));
    if (problems.length > 0) throw new ImportError(problems.join('; '));
    return { line, user: { ...user, ...tenantsOf(user, membership) } };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { line, user, problem: error.message, ...(isDisabled && { isDisabled }) };
  }
}

/** Why a user has no password after the import, in English. */
export const lacks = {
  noPassword: 'the file has no password of the user',
  notVerified: 'the address is not verified',
} as const;

/** Why a user has no password after the import; undefined for one that has. */
export function lackOfPassword({
  PasswordHash,
  EmailVerified,
}: ImportedUserInput): keyof typeof lacks | undefined {
  if (!PasswordHash) return 'noPassword';
  return EmailVerified ? undefined : 'notVerified';
}

/** The line of the file of users without a password. */
export const passwordlessLine = (row: Row, lack: keyof typeof lacks): string =>
  failedLine(row, { Code: 'no_password', Messages: [lacks[lack]] });

/** The line of the file of failed users: a user to correct and import, with the reason. */
export const failedLine = (
  { line, user, text }: Row,
  { Code, Messages }: { Code: string; Messages: readonly string[] },
): string =>
  `${JSON.stringify({ ...user, Verdict: { Line: line, Code, Messages, ...(text !== undefined && { Text: text }) } })}\n`;
