import path from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ImportedMembershipInput } from '../../client/gen/types.ts';
import {
  batches,
  isSent,
  type Row,
  readRow,
  sendUsers,
  type Unsent,
} from '../../user-import/mod.ts';
import { type Command, type Given, textOf } from '../command.ts';
import { connect, urlOf } from '../connect.ts';
import { exitCodes, Refusal, UsageError } from '../failure.ts';
import type { Values } from '../fields.ts';
import { readText } from '../input.ts';
import { print, say } from '../output.ts';
import { findTenant } from '../tenant.ts';
import type { Line } from '../tenant-file/lines.ts';
import { restoreTenant } from '../tenant-file/restore.ts';
import { printable } from '../text.ts';
import {
  assertOtherFile,
  beginFailed,
  type FailedWriter,
  openFailed,
  type Reason,
  resumeFailed,
  showFailed,
} from './failed.ts';
import { readFirebaseHash } from './hashes.ts';
import {
  endProgress,
  forgetProgress,
  jobKey,
  newProgress,
  type Progress,
  readProgress,
  showProgress,
  stateFile,
  storeProgress,
} from './progress.ts';
import { readRecords, sizeOf } from './records.ts';
import { patientSender } from './sender.ts';
import { type Source, sources } from './sources.ts';

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
    failed: { type: 'string' },
    'dry-run': { type: 'boolean' },
    restart: { type: 'boolean' },
  },
  help: [
    [
      '--from SYSTEM',
      'csv, jsonl, keycloak, auth0, firebase, clerk, zitadel, or bailiwick for an exported tenant',
    ],
    ['--tenant ID|SLUG', 'make every user a member of this tenant'],
    ['--role SLUG', "a role there; can be repeated; default: the tenant's default role"],
    ['--group PATH', 'an existing group there; can be repeated'],
    ['--firebase-hash FILE', 'the hash parameters of the Firebase project'],
    ['--failed FILE', 'where failed users are written; default: FILE.failed.jsonl'],
    ['--dry-run', 'import and write nothing, and show what would be imported'],
    [
      '--restart',
      'begin at the first user, although an earlier import was interrupted, and replace the file of failed users',
    ],
  ],
  run: importFile,
};

type Job = {
  client: Client;
  file: string;
  failedFile: string;
  source: Source;
  membership: ImportedMembershipInput | undefined;
  dryRun: boolean;
};

async function importFile({ values, rest }: Given) {
  if (values['from'] === 'bailiwick') return importTenant({ values, rest });
  const { key, ...job } = await readJob({ values, rest });
  const { file, dryRun } = job;
  const size = await sizeOf(file);
  const progress = dryRun
    ? newProgress(key, size)
    : begin(job, newProgress(key, size), values['restart'] === true);
  await importAll(job, size, progress);
  if (!dryRun) forgetProgress(file);
  report(progress, job, values);
  return progress.failed > 0 ? exitCodes.failed : exitCodes.ok;
}

/** The progress of the import: that of an interrupted one, or a new one, which is stored at once. */
function begin({ file, failedFile }: Job, fresh: Progress, isRestart: boolean): Progress {
  const stored = isRestart ? undefined : readProgress(file, fresh.job, fresh.size);
  if (stored) {
    say(`continuing after ${stored.done} users`);
    resumeFailed(failedFile, stored);
    return stored;
  }
  beginFailed(failedFile, { isReplaced: isRestart });
  const begun = { ...fresh, ...openFailed(failedFile).state() };
  storeProgress(file, begun);
  return begun;
}

/** Makes the records of `bailiwick export` in a tenant. */
async function importTenant({ values, rest: [file, ...more] }: Given) {
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
  for await (const found of readRecords(file, 'lines', () => {})) {
    if ('problem' in found) throw new Refusal(`${file}: ${found.problem}`);
    yield found.record as Line;
  }
}

async function readJob({ values, rest: [file, ...more] }: Given): Promise<Job & { key: string }> {
  if (file === undefined || more.length > 0) throw new UsageError('import takes one file');
  const hashFile = textOf(values['firebase-hash']);
  const hash = hashFile === undefined ? undefined : await readText(hashFile, '--firebase-hash');
  const known = sources(hash === undefined ? undefined : readFirebaseHash(hash));
  const name = textOf(values['from']) ?? '';
  const source = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!source) throw new UsageError(`--from must be one of ${Object.keys(known).join(', ')}`);
  const failedFile = textOf(values['failed']) ?? `${file}.failed.jsonl`;
  assertOtherFile(failedFile, [
    file,
    stateFile(file),
    ...(hashFile === undefined ? [] : [hashFile]),
  ]);
  const client = await connect(values);
  const membership = await readMembership(client, values);
  return {
    key: jobKey([urlOf(values), name, membership, hash, path.resolve(failedFile)]),
    client,
    file,
    failedFile,
    source,
    membership,
    dryRun: values['dry-run'] === true,
  };
}

async function readMembership(
  client: Client,
  values: Values,
): Promise<ImportedMembershipInput | undefined> {
  const tenant = textOf(values['tenant']);
  const list = (value: Values[string]) => (Array.isArray(value) ? value.map(String) : []);
  const [Roles, Groups] = [list(values['role']), list(values['group'])];
  if (tenant !== undefined) return { Tenant: await findTenant(client, tenant), Roles, Groups };
  if (Roles.length > 0 || Groups.length > 0)
    throw new UsageError('--role and --group need a --tenant');
  return undefined;
}

/** Imports the rows that are not done yet. The progress is stored after each batch. */
async function importAll(job: Job, size: number, progress: Progress): Promise<void> {
  let bytes = 0;
  const failed = openFailed(job.failedFile);
  const rows = readRows(job, progress.done, (read) => (bytes = read));
  for await (const batch of batches(rows)) {
    const before = progress.done;
    await importBatch(job, batch, progress, failed);
    progress.done += batch.length;
    Object.assign(progress, failed.state());
    if (!job.dryRun) storeProgress(job.file, progress);
    showProgress(size === 0 ? 1 : bytes / size, progress, before);
  }
  endProgress();
}

async function* readRows(
  { file, source, membership }: Job,
  done: number,
  read: (bytes: number) => void,
): AsyncGenerator<Row> {
  let index = 0;
  for await (const found of readRecords(file, source.form, read)) {
    if (index++ < done) continue;
    yield readRow(found, source.read, membership);
  }
}

async function importBatch(
  job: Job,
  batch: readonly Row[],
  progress: Progress,
  failed: FailedWriter,
): Promise<void> {
  const fail = (user: object, reason: Reason): void => {
    progress.failed++;
    if (job.dryRun) showFailed(user, reason);
    else failed.write(user, reason);
  };
  const users = batch.filter(isSent).map(({ user }) => user);
  const verdicts = users.length === 0 ? [] : await sendUsers(patientSender(job), users);
  for (const { user, problem } of batch.filter((row): row is Unsent => !isSent(row)))
    fail(user, { Code: 'not_sent', Messages: [problem] });
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict.Result === 'created') progress.created++;
    else if (verdict.Result === 'existing') progress.existing++;
    else fail(users[index] ?? {}, verdict);
  }
}

function report(
  { created, existing, failed }: Progress,
  { failedFile, dryRun }: Job,
  values: Values,
): void {
  if (values['json'] === true)
    return print(JSON.stringify({ Created: created, Existing: existing, Failed: failed }));
  say(
    `${created} users ${dryRun ? 'would be created' : 'were created'}, ${existing} existed already, ${failed} failed`,
  );
  if (failed > 0 && !dryRun) say(`failed users, with reasons: ${printable(failedFile)}`);
}
