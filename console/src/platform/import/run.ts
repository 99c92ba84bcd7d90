import type { ResponseOf } from '@bailiwick/client/client.ts';
import {
  batches,
  codeOf,
  failedLine,
  isSent,
  lackOfPassword,
  passwordlessLine,
  type Row,
  sendUsers,
} from '@bailiwick/client/import/mod.ts';
import { client } from '../../parts/calls.ts';
import { withProof } from '../../parts/proof.ts';

// Sends the rows of a file to the service, one batch after the other.

type Verdict = Pick<ResponseOf<'Users_Import'>['Verdicts'][number], 'Result' | 'Code' | 'Messages'>;

export type FailedRow = Row & Pick<Verdict, 'Code' | 'Messages'>;

/** A created user without a password, and why. */
export type PasswordlessRow = Row & { lack: NonNullable<ReturnType<typeof lackOfPassword>> };

export type Progress = {
  /** Random: names this import in its calls. */
  id: string;
  /** Rows with a verdict. */
  verdictCount: number;
  created: number;
  withoutPassword: readonly PasswordlessRow[];
  existing: number;
  failed: readonly FailedRow[];
};

export const newProgress = (): Progress => ({
  id: crypto.randomUUID(),
  verdictCount: 0,
  created: 0,
  withoutPassword: [],
  existing: 0,
  failed: [],
});

type Job = {
  rows: readonly Row[];
  dryRun: boolean;
  /** The rows that have a verdict already. */
  from: Progress;
  isStopped: () => boolean;
  onProgress: (progress: Progress) => void;
};

/**
 * Imports the rows that have no verdict yet, until it is stopped. A repetition after a failure makes
 * no user twice: the service finds users again by ExternalID or address.
 */
export async function importRows({ rows, dryRun, from, isStopped, onProgress }: Job) {
  let progress = from;
  for await (const batch of batches(rows.slice(from.verdictCount))) {
    if (isStopped()) return;
    progress = withVerdicts(
      progress,
      batch,
      await verdictsOf(batch, { dryRun, batchId: `${progress.id}-${progress.verdictCount}` }),
    );
    onProgress(progress);
  }
}

/** A verdict for each row. A row that is not sent has failed. */
async function verdictsOf(
  batch: readonly Row[],
  call: { dryRun: boolean; batchId: string },
): Promise<Verdict[]> {
  const userRows = batch.filter(isSent);
  const users = userRows.map(({ user }) => user);
  const answers =
    users.length === 0 ? [] : await withProof(() => sendUsers({ client, ...call }, users));
  // A message names another user of the call by its place, and the file has lines.
  const inFile = (message: string) =>
    message.replaceAll(/\bUsers\[(\d+)\]/g, (_, at) => `line ${userRows[Number(at)]?.line}`);
  const rest = answers.values();
  return batch.map((row) => {
    if (row.problem !== undefined)
      return { Result: 'failed', Code: codeOf(row), Messages: [row.problem] };
    const verdict = rest.next().value ?? missing;
    return { ...verdict, Messages: verdict.Messages.map(inFile) };
  });
}

const missing: Verdict = { Result: 'failed', Code: 'internal', Messages: ['no verdict'] };

function withVerdicts(
  { id, verdictCount, created, withoutPassword, existing, failed }: Progress,
  batch: readonly Row[],
  verdicts: readonly Verdict[],
): Progress {
  const count = (result: string) => verdicts.filter(({ Result }) => Result === result).length;
  const newlyFailed = batch.flatMap((row, index): FailedRow[] => {
    const { Result, Code, Messages } = verdicts[index] ?? missing;
    return Result === 'created' || Result === 'existing' ? [] : [{ ...row, Code, Messages }];
  });
  const passwordless = batch.flatMap((row, index): PasswordlessRow[] => {
    const lack = lackOfPassword(row.user);
    return lack && verdicts[index]?.Result === 'created' ? [{ ...row, lack }] : [];
  });
  return {
    id,
    verdictCount: verdictCount + batch.length,
    created: created + count('created'),
    withoutPassword: [...withoutPassword, ...passwordless],
    existing: existing + count('existing'),
    failed: [...failed, ...newlyFailed],
  };
}

/** The failed rows as `bailiwick import` writes them. Corrected, they are a file to import. */
export const failedFile = (failed: readonly FailedRow[]): Blob =>
  new Blob(
    failed.map((row) => failedLine(row, row)),
    { type: 'application/x-ndjson' },
  );

/** The created users without a password, in the same form. */
export const passwordlessFile = (rows: readonly PasswordlessRow[]): Blob =>
  new Blob(
    rows.map((row) => passwordlessLine(row, row.lack)),
    { type: 'application/x-ndjson' },
  );
