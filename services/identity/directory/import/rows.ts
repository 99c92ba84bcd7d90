import { type Email, findProblems, normaliseEmail } from '@bailiwick/contract';
import { errorRecord, invalid, problem, ServiceError } from '@bailiwick/errors';
import {
  type ImportedUser,
  ImportedUserSchema,
  type ImportVerdictSchema,
} from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { assertReadable } from '../../passwords/imported/imported.ts';

// The users of one import, from the request to their verdicts.

export type ImportRow = {
  readonly input: ImportedUser;
  /** The address without white space around it, and its unique forms. */
  readonly email: Email | undefined;
  /** The stored or new user; "" = none. */
  userId: string;
  /** Whether an earlier call with the same BatchID created the user. */
  isRepeated: boolean;
  result: 'created' | 'existing' | 'failed' | 'skipped';
  refusal?: ServiceError;
};

export function refuse(row: ImportRow, refusal: ServiceError): void {
  row.result = 'failed';
  row.refusal = refusal;
}

/** Whether the user of a row does not exist yet. */
export const isNew = ({ result }: ImportRow): boolean => result === 'created';

export const isRefused = ({ result }: ImportRow): boolean => result === 'failed';

/** The rows of a request. Those that are wrong by themselves are refused. */
export function readRows(users: readonly ImportedUser[]): ImportRow[] {
  const rows = users.map((input): ImportRow => {
    const refusal = refusalOf(input);
    const row: ImportRow = {
      input,
      email: refusal ? undefined : normaliseEmail(input.email),
      userId: '',
      isRepeated: false,
      result: 'created',
    };
    if (refusal) refuse(row, refusal);
    return row;
  });
  refuseRepeats(rows, 'ExternalID', ({ input }) => input.externalId);
  refuseRepeats(rows, 'Email', ({ email }) => email?.key ?? '');
  return rows;
}

function refusalOf(input: ImportedUser): ServiceError | undefined {
  const tenants = input.tenants.map(({ tenant }) => tenant);
  const problems = [
    ...findProblems(ImportedUserSchema, input),
    ...tenants.flatMap((tenant, index) =>
      tenants.indexOf(tenant) < index
        ? [problem(`Tenants[${index}].Tenant`, 'unique', 'is named twice')]
        : [],
    ),
  ];
  const hashRefusal = refusalOfHash(input.passwordHash);
  return problems.length > 0
    ? invalid([...problems, ...(hashRefusal?.problems ?? [])])
    : hashRefusal;
}

function refusalOfHash(hash: string): ServiceError | undefined {
  if (hash === '') return undefined;
  try {
    assertReadable(hash);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
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
    const text = valueOf(row);
    const earlier = first.get(text);
    if (text === '' || isRefused(row)) continue;
    if (earlier === undefined) first.set(text, index);
    else refuse(row, invalid(problem(field, 'unique', `is the same as in Users[${earlier}]`)));
  }
}

export const verdictOf = ({
  input,
  userId,
  isRepeated,
  result,
  refusal,
}: ImportRow): MessageInitShape<typeof ImportVerdictSchema> => ({
  result: isRepeated && result === 'existing' ? 'created' : result,
  externalId: input.externalId,
  email: input.email,
  userId,
  ...(refusal ? errorRecord(refusal) : { params: {} }),
});
