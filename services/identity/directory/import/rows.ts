import { type Email, normaliseEmail, validate } from '@bailiwick/contract';
import { ServiceError } from '@bailiwick/errors';
import {
  type ImportedUser,
  ImportedUserSchema,
  type ImportVerdictSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { assertReadable } from '../../passwords/imported/imported.ts';

// The users of one import, from the request to their verdicts.

type Refused = { code: string; messages: readonly string[] };

export type ImportRow = {
  readonly sent: ImportedUser;
  /** The address without white space around it, and its unique forms. */
  readonly email: Email | undefined;
  /** The stored or new user; "" = none. */
  userId: string;
  /** Whether an earlier call with the same BatchID created the user. */
  isRepeated: boolean;
  result: 'created' | 'existing' | 'failed' | 'skipped';
  refused?: Refused;
};

export function refuse(row: ImportRow, { code, messages }: Refused): void {
  row.result = 'failed';
  row.refused = { code, messages };
}

/** Whether the user of a row does not exist yet. */
export const isNew = ({ result }: ImportRow): boolean => result === 'created';

export const isRefused = ({ result }: ImportRow): boolean => result === 'failed';

/** The rows of a request. Those that are wrong by themselves are refused. */
export function readRows(users: readonly ImportedUser[]): ImportRow[] {
  const rows = users.map((sent): ImportRow => {
    const messages = problemsOf(sent);
    const row: ImportRow = {
      sent,
      email: messages.length > 0 ? undefined : normaliseEmail(sent.email),
      userId: '',
      isRepeated: false,
      result: 'created',
    };
    if (messages.length > 0) refuse(row, { code: 'invalid_argument', messages });
    return row;
  });
  refuseRepeats(rows, 'ExternalID', ({ sent }) => sent.externalId);
  refuseRepeats(rows, 'Email', ({ email }) => email?.key ?? '');
  return rows;
}

function problemsOf(sent: ImportedUser): string[] {
  const tenants = sent.tenants.map(({ tenant }) => tenant);
  return [
    ...validate(ImportedUserSchema, sent),
    ...tenants.flatMap((tenant, index) =>
      tenants.indexOf(tenant) < index ? [`Tenants[${index}].Tenant is named twice`] : [],
    ),
    ...hashProblems(sent.passwordHash),
  ];
}

function hashProblems(hash: string): readonly string[] {
  if (hash === '') return [];
  try {
    assertReadable(hash);
    return [];
  } catch (error) {
    if (error instanceof ServiceError) return error.messages;
    throw error;
  }
}

/** Refuses the rows that repeat a value of an earlier row. "" repeats nothing. */
function refuseRepeats(
  rows: readonly ImportRow[],
  field: string,
  valueOf: (row: ImportRow) => string,
): void {
  const first = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    const value = valueOf(row);
    const earlier = first.get(value);
    if (value === '' || isRefused(row)) continue;
    if (earlier === undefined) first.set(value, index);
    else
      refuse(row, {
        code: 'invalid_argument',
        messages: [`${field} is the same as in Users[${earlier}]`],
      });
  }
}

export const verdictOf = ({
  sent,
  userId,
  isRepeated,
  result,
  refused,
}: ImportRow): MessageInitShape<typeof ImportVerdictSchema> => ({
  result: isRepeated && result === 'existing' ? 'created' : result,
  externalId: sent.externalId,
  email: sent.email,
  userId,
  code: refused?.code ?? '',
  messages: [...(refused?.messages ?? [])],
});
