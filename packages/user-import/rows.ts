import type { ImportedMembershipInput, ImportedUserInput } from '../client/gen/types.ts';
import { ImportError } from './error.ts';
import type { FileRecord } from './records.ts';
import { tenantsOf } from './tenants.ts';
import type { Read } from './users.ts';

/** A user of a file, as far as it could be read, and the line. */
export type Row = {
  line: number;
  user: ImportedUserInput;
  /** Why the user is not sent. */
  problem?: string;
  /** The text of a line that is no record. */
  text?: string;
};

export const isSent = ({ problem }: Row): boolean => problem === undefined;

/** The row of a record. `membership` is the one that the import gives to all users. */
export function readRow(
  { line, record, problem, text }: FileRecord,
  read: Read,
  membership: ImportedMembershipInput | undefined,
): Row {
  const { user, problems } = read(record);
  if (problem !== undefined) return { line, user, problem, ...(text !== undefined && { text }) };
  try {
    if (user.Email === '') throw new ImportError('the user has no email address');
    if (problems.length > 0) throw new ImportError(problems.join('; '));
    return { line, user: { ...user, ...tenantsOf(user, membership) } };
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    return { line, user, problem: error.message };
  }
}

/** Why a user has no password after the import: an English reason, undefined for one that has. */
export function lackOfPassword({ PasswordHash, EmailVerified }: ImportedUserInput) {
  if (!PasswordHash) return 'the file has no password of the user';
  return EmailVerified ? undefined : 'the address is not verified';
}

/** The line of the file of failed users: a user to correct and import, with the reason. */
export const failedLine = (
  { line, user, text }: Row,
  { Code, Messages }: { Code: string; Messages: readonly string[] },
): string =>
  `${JSON.stringify({ ...user, Verdict: { Line: line, Code, Messages, ...(text !== undefined && { Text: text }) } })}\n`;
