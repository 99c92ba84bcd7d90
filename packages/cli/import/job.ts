import path from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ImportedMembershipInput } from '../../client/gen/types.ts';
import { type CommandInput, textOf } from '../command.ts';
import { connect, urlOf } from '../connect.ts';
import { Refusal, UsageError } from '../failure.ts';
import type { Values } from '../fields.ts';
import { readText } from '../input.ts';
import { findTenant } from '../tenant.ts';
import { assertOtherFile } from './failed.ts';
import { readFirebaseHash } from './hashes.ts';
import { jobKey, stateFile } from './progress.ts';
import type { Source } from './source.ts';
import { sources } from './sources.ts';

// Reads the command line of an import.

export type Job = {
  client: Client;
  file: string;
  failedFile: string;
  /** Where users are listed who were created without a password. */
  passwordlessFile: string;
  source: Source;
  membership: ImportedMembershipInput | undefined;
  dryRun: boolean;
};

export async function readJob({
  values,
  rest: [file, ...more],
}: CommandInput): Promise<Job & { key: string }> {
  if (file === undefined || more.length > 0) throw new UsageError('import takes one file');
  const hashFile = textOf(values['firebase-hash']);
  const pepperFile = textOf(values['bcrypt-pepper']);
  const hash = hashFile === undefined ? undefined : await readText(hashFile, '--firebase-hash');
  const pepper = pepperFile === undefined ? undefined : await readPepper(pepperFile);
  const systems = sources({
    firebase: hash === undefined ? undefined : readFirebaseHash(hash),
    pepper,
  });
  const name = textOf(values['from']) ?? '';
  const source = Object.hasOwn(systems, name) ? systems[name] : undefined;
  if (!source) throw new UsageError(`--from must be one of ${Object.keys(systems).join(', ')}`);
  const failedFile = textOf(values['failed']) ?? `${file}.failed.jsonl`;
  const passwordlessFile = `${file}.no-password.jsonl`;
  assertOtherFile(failedFile, [
    file,
    stateFile(file),
    passwordlessFile,
    ...[hashFile, pepperFile].filter((one) => one !== undefined),
  ]);
  const client = await connect(values);
  const membership = await readMembership(client, values);
  return {
    key: jobKey([2, urlOf(values), name, membership, hash, pepper, path.resolve(failedFile)]),
    client,
    file,
    failedFile,
    passwordlessFile,
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
  const list = (option: Values[string]) => (Array.isArray(option) ? option.map(String) : []);
  const [Roles, Groups] = [list(values['role']), list(values['group'])];
  if (tenant !== undefined) return { Tenant: await findTenant(client, tenant), Roles, Groups };
  if (Roles.length > 0 || Groups.length > 0)
    throw new UsageError('--role and --group need a --tenant');
  return undefined;
}

/** The most bytes of a pepper that the form of the hash has room for. */
const mostPepperBytes = 256;

async function readPepper(file: string): Promise<string> {
  const pepper = (await readText(file, '--bcrypt-pepper')).trim();
  if (pepper === '' || Buffer.byteLength(pepper) > mostPepperBytes)
    throw new Refusal(`--bcrypt-pepper: the file must have 1 to ${mostPepperBytes} bytes`);
  return pepper;
}
