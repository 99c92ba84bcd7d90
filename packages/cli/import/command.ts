import { appendFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../client/client.ts';
import { BailiwickError } from '../../client/errors.ts';
import type {
  ImportedMembershipInput,
  ImportedUserInput,
  ImportVerdict,
} from '../../client/gen/types.ts';
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
import { batches, isSent, type Row, type Unsent } from './batches.ts';
import { readFirebaseHash } from './hashes.ts';
import {
  endProgress,
  forgetProgress,
  type Progress,
  readProgress,
  showProgress,
  storeProgress,
} from './progress.ts';
import { readRecords, sizeOf } from './records.ts';
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
    ['--dry-run', 'import nothing, and show what would be imported'],
    ['--restart', 'begin at the first user, although an earlier import was interrupted'],
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
  const { url, ...job } = await readJob({ values, rest });
  const { file, failedFile, dryRun } = job;
  const size = await sizeOf(file);
  if (values['restart'] === true || dryRun) forgetProgress(file);
  const progress = readProgress(file, url, size);
  if (progress.done > 0) say(`continuing after ${progress.done} users`);
  else rmSync(failedFile, { force: true });
  await importAll(job, size, progress);
  if (!dryRun) forgetProgress(file);
  report(progress, job, values);
  return progress.failed > 0 ? exitCodes.failed : exitCodes.ok;
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

async function readJob({ values, rest: [file, ...more] }: Given): Promise<Job & { url: string }> {
  if (file === undefined || more.length > 0) throw new UsageError('import takes one file');
  const hash = textOf(values['firebase-hash']);
  const known = sources(
    hash === undefined ? undefined : readFirebaseHash(await readText(hash, '--firebase-hash')),
  );
  const name = textOf(values['from']) ?? '';
  const source = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!source) throw new UsageError(`--from must be one of ${Object.keys(known).join(', ')}`);
  const client = await connect(values);
  return {
    url: urlOf(values),
    client,
    file,
    failedFile: textOf(values['failed']) ?? `${file}.failed.jsonl`,
    source,
    membership: await readMembership(client, values),
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
  const rows = readRows(job, progress.done, (read) => (bytes = read));
  for await (const batch of batches(rows)) {
    const before = progress.done;
    await importBatch(job, batch, progress);
    progress.done += batch.length;
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
    if ('problem' in found) yield { user: { Name: found.text }, problem: found.problem };
    else yield rowOf(found.record, source, membership);
  }
}

function rowOf(
  record: Parameters<Source['read']>[0],
  source: Source,
  membership: ImportedMembershipInput | undefined,
): Row {
  try {
    const user = source.read(record);
    if (user.Email === '') return { user, problem: 'the user has no email address' };
    return { user: membership ? { ...user, Tenants: [membership] } : user };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { user: record, problem: error.message };
  }
}

async function importBatch(job: Job, batch: readonly Row[], progress: Progress): Promise<void> {
  const sent = batch.filter(isSent);
  const verdicts =
    sent.length === 0
      ? []
      : await call(
          job,
          sent.map(({ user }) => user),
        );
  const unsent = batch.filter((row): row is Unsent => !isSent(row));
  for (const { user, problem } of unsent)
    writeFailed(job, user, { Code: 'not_sent', Messages: [problem] });
  for (const [index, verdict] of verdicts.entries()) {
    if (verdict.Result === 'created') progress.created++;
    else if (verdict.Result === 'existing') progress.existing++;
    else {
      progress.failed++;
      writeFailed(job, sent[index]?.user ?? {}, verdict);
    }
  }
  progress.failed += unsent.length;
}

const writeFailed = (
  { failedFile }: Job,
  user: object,
  { Code, Messages }: Pick<ImportVerdict, 'Code' | 'Messages'>,
): void =>
  // Only for the owner of the file: it may hold password hashes.
  appendFileSync(failedFile, `${JSON.stringify({ ...user, Verdict: { Code, Messages } })}\n`, {
    mode: 0o600,
  });

/** How often a call is made again after an outage, with longer and longer pauses. */
const attempts = 6;

/**
 * Imports users, and repeats a call that was interrupted: a repetition completes what the first call
 * has begun. So it is a call of its own, with an Idempotency-Key of its own.
 */
async function call(
  { client, dryRun }: Job,
  users: readonly ImportedUserInput[],
): Promise<ImportVerdict[]> {
  const request = { Users: users, OnError: 'continue', DryRun: dryRun };
  for (let attempt = 1; ; attempt++) {
    try {
      return (await client.call('Users_Import', request, { timeoutMs: 120_000 })).Verdicts;
    } catch (error) {
      if (attempt === attempts || !isInterrupted(error)) throw error;
      await sleep(500 * 2 ** attempt);
    }
  }
}

const isInterrupted = (error: unknown): boolean =>
  error instanceof BailiwickError &&
  ['unavailable', 'resource_exhausted', 'internal', 'failed_precondition'].includes(error.Code);

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
  if (failed > 0) say(`failed users, with reasons: ${printable(failedFile)}`);
}
