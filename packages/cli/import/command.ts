import {
  batches,
  codeOf,
  failedLine,
  isSent,
  lackOfPassword,
  lacks,
  passwordlessLine,
  type Row,
  readRow,
  sendUsers,
} from '../../client/import/mod.ts';
import { type Command, type CommandInput, textOf } from '../command.ts';
import { connect } from '../connect.ts';
import { exitCodes, Refusal, UsageError } from '../failure.ts';
import type { Values } from '../fields.ts';
import { print, say } from '../output.ts';
import { findTenant } from '../tenant.ts';
import type { Line } from '../tenant-file/lines.ts';
import { restoreTenant } from '../tenant-file/restore.ts';
import { printable } from '../text.ts';
import {
  beginUserFile,
  openUserFile,
  type Reason,
  resumeUserFile,
  showFailed,
  type UserFile,
  usersOf,
} from './failed.ts';
import { type Job, readJob } from './job.ts';
import {
  endProgress,
  forgetProgress,
  newProgress,
  type Progress,
  readProgress,
  showProgress,
  storeProgress,
} from './progress.ts';
import { readRecords, sizeOf } from './records.ts';
import { mailResets, patientSender } from './sender.ts';

export const importUsers: Command = {
  takes: 'FILE',
  summary:
    'Imports users from a file of another system, with the hashes of their passwords. An interrupted import continues where it stopped, and a repeated one makes no user twice.',
  options: {
    from: { type: 'string' },
    tenant: { type: 'string' },
    role: { type: 'string', multiple: true },
    group: { type: 'string', multiple: true },
    'firebase-hash': { type: 'string' },
    'bcrypt-pepper': { type: 'string' },
    'mail-resets': { type: 'boolean' },
    failed: { type: 'string' },
    'dry-run': { type: 'boolean' },
    restart: { type: 'boolean' },
  },
  help: [
    [
      '--from SYSTEM',
      'csv, jsonl, keycloak, auth0, firebase, clerk, zitadel, supabase, cognito, or bailiwick for an exported tenant',
    ],
    ['--tenant ID|SLUG', 'make every user a member of this tenant'],
    ['--role SLUG', "a role there; can be repeated; default: the tenant's default role"],
    ['--group PATH', 'an existing group there; can be repeated'],
    ['--firebase-hash FILE', 'the hash parameters of the Firebase project'],
    ['--bcrypt-pepper FILE', 'the pepper of Devise, which is a part of each bcrypt hash'],
    ['--mail-resets', 'mail a link to set a password to each new user without one, one by one'],
    ['--failed FILE', 'where failed users are written; default: FILE.failed.jsonl'],
    ['--dry-run', 'import and write nothing, and show what would be imported'],
    [
      '--restart',
      'begin at the first user, although an earlier import was interrupted, and replace the file of failed users',
    ],
  ],
  run: importFile,
};

async function importFile({ values, rest }: CommandInput) {
  if (values['from'] === 'bailiwick') return importTenant({ values, rest });
  const { key, ...job } = await readJob({ values, rest });
  const { file, dryRun, client, passwordlessFile } = job;
  const size = await sizeOf(file);
  const progress = dryRun
    ? newProgress(key, size)
    : begin(job, newProgress(key, size), values['restart'] === true);
  try {
    await importAll(job, size, progress);
  } catch (error) {
    // Nothing was imported, so there is nothing to continue.
    if (!dryRun && progress.done === 0) forgetProgress(file);
    throw error;
  }
  if (values['mail-resets'] === true && !dryRun)
    await mailResets(client, usersOf(passwordlessFile), progress, () =>
      storeProgress(file, progress),
    );
  if (!dryRun) forgetProgress(file);
  report(progress, job, values);
  return progress.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

/** The progress of the import: that of an interrupted one, or a new one, which is stored at once. */
function begin(
  { file, failedFile, passwordlessFile }: Job,
  fresh: Progress,
  isRestart: boolean,
): Progress {
  const stored = isRestart ? undefined : readProgress(file, fresh.job, fresh.size);
  if (stored) {
    say(`continuing after ${stored.done} users`);
    resumeUserFile(failedFile, stored.failedFile);
    resumeUserFile(passwordlessFile, stored.withoutPasswordFile);
    return stored;
  }
  beginUserFile(failedFile, { isReplaced: isRestart });
  // This one is no file to correct.
  beginUserFile(passwordlessFile, { isReplaced: true });
  storeProgress(file, fresh);
  return fresh;
}

/** Makes the records of `bailiwick export` in a tenant. */
async function importTenant({ values, rest: [file, ...more] }: CommandInput) {
  const name = textOf(values['tenant']);
  if (file === undefined || more.length > 0 || name === undefined)
    throw new UsageError('import --from bailiwick takes one file and a --tenant');
  const client = await connect(values);
  const tenant = await findTenant(client, name);
  const { users, failed } = await restoreTenant(client, tenant, tenantLines(file));
  say(`${users} users were imported with the rest of the tenant, ${failed} failed`);
  return failed > 0 ? exitCodes.failed : exitCodes.ok;
}

async function* tenantLines(file: string): AsyncGenerator<Line> {
  for await (const entry of readRecords(file, { form: 'lines' }, () => {})) {
    if (entry.problem !== undefined) throw new Refusal(`${file}: ${entry.problem}`);
    yield entry.record as Line;
  }
}

/** Imports the rows that are not done yet. The progress is stored after each batch. */
async function importAll(job: Job, size: number, progress: Progress): Promise<void> {
  let bytes = 0;
  const files = {
    failed: openUserFile(job.failedFile),
    passwordless: openUserFile(job.passwordlessFile),
  };
  const rows = readRows(job, progress.done, (read) => (bytes = read));
  for await (const batch of batches(rows)) {
    const before = progress.done;
    await importBatch(job, batch, progress, files);
    progress.done += batch.length;
    progress.failedFile = files.failed.state();
    progress.withoutPasswordFile = files.passwordless.state();
    if (!job.dryRun) storeProgress(job.file, progress);
    showProgress(size === 0 ? 1 : bytes / size, progress, before);
  }
  endProgress();
  const { form } = job.source;
  const expected = typeof form === 'string' ? '' : `: they are expected in a list "${form[0]}"`;
  if (progress.done === 0) throw new Refusal(`${printable(job.file)} has no users${expected}`);
}

async function* readRows(
  { file, source, membership }: Job,
  offset: number,
  read: (bytes: number) => void,
): AsyncGenerator<Row> {
  let index = 0;
  for await (const record of readRecords(file, source, read)) {
    if (index++ < offset) continue;
    yield readRow(record, source.read, membership);
  }
}

async function importBatch(
  job: Job,
  batch: readonly Row[],
  progress: Progress,
  files: { failed: UserFile; passwordless: UserFile },
): Promise<void> {
  const fail = (row: Row, reason: Reason): void => {
    progress.failed++;
    if (job.dryRun) showFailed(row, reason);
    else files.failed.write(failedLine(row, reason));
  };
  const created = (row: Row): void => {
    progress.created++;
    const lack = lackOfPassword(row.user);
    if (lack === undefined) return;
    const reason = lacks[lack];
    progress.withoutPassword[reason] = (progress.withoutPassword[reason] ?? 0) + 1;
    if (!job.dryRun) files.passwordless.write(passwordlessLine(row, lack));
  };
  const rows = batch.filter(isSent);
  const users = rows.map(({ user }) => user);
  const verdicts =
    users.length === 0
      ? []
      : await sendUsers(
          patientSender({ ...job, batchId: `${progress.id}-${progress.done}` }),
          users,
        );
  for (const row of batch)
    if (row.problem !== undefined) fail(row, { Code: codeOf(row), Messages: [row.problem] });
  for (const [index, row] of rows.entries()) {
    const verdict = verdicts[index] ?? { Result: 'failed', Code: 'internal', Messages: [] };
    if (verdict.Result === 'created') created(row);
    else if (verdict.Result === 'existing') progress.existing++;
    else fail(row, verdict);
  }
}

function report(
  { created, existing, failed, withoutPassword, mailed }: Progress,
  { failedFile, passwordlessFile, dryRun }: Job,
  values: Values,
): void {
  const reasons = Object.entries(withoutPassword);
  const lacking = reasons.reduce((sum, [, count]) => sum + count, 0);
  if (values['json'] === true)
    return print(
      JSON.stringify({
        Created: created,
        Existing: existing,
        Failed: failed,
        WithoutPassword: lacking,
      }),
    );
  say(
    `${created} users ${dryRun ? 'would be created' : 'were created'}, ${existing} existed already, ${failed} failed`,
  );
  if (lacking > 0) {
    const why = reasons.map(([reason, count]) => `${count}: ${reason}`).join('; ');
    say(`${lacking} of the new users ${dryRun ? 'would have' : 'have'} no password (${why})`);
    if (!dryRun) say(`users without a password: ${printable(passwordlessFile)}`);
    if (mailed > 0) say(`${mailed} of them have got a mail to set a password`);
  }
  if (failed > 0 && !dryRun) say(`failed users, with reasons: ${printable(failedFile)}`);
}
