import { type ErrorCode, isReason, ServiceError } from '@bailiwick/errors';
import type { Call, Handlers } from '@bailiwick/pipeline';
import type {
  Imports,
  RefusedMembership,
} from '@bailiwick/proto/gen/bailiwick/access/v1/imports_pb.ts';
import type { Users } from '@bailiwick/proto/gen/bailiwick/identity/v1/users_pb.ts';
import { type Database, onPool } from '@bailiwick/store';
import type { PeerClient } from '@bailiwick/wire';
import type { Passwords } from '../../passwords/passwords.ts';
import { matchStored } from './match.ts';
import { type ImportRow, isNew, isRefused, readRows, refuse, verdictOf } from './rows.ts';
import { type Hashes, storeUsers } from './store.ts';

export type ImportDeps = {
  database: Database;
  passwords: Passwords;
  imports: PeerClient<typeof Imports>;
};

/**
 * Users_Import. identity creates the users and access their memberships, each in transactions of its
 * own. access checks the memberships before any user is created. If the call is interrupted between
 * the two, the same call completes it.
 */
export function importHandler(deps: ImportDeps): Pick<Handlers<typeof Users>, 'import'> {
  const { database } = deps;
  return {
    async import({ users, onError, dryRun, batchId }, call) {
      const rows = readRows(users);
      await matchStored(onPool(database), rows, batchId);
      await addMemberships(deps, rows, true, call);
      const mayStore = () => onError === 'continue' || !rows.some(isRefused);
      if (dryRun) {
        if (!mayStore()) skip(rows);
      } else if (mayStore() && (await storeNew(deps, rows, { batchId, mayStore }, call)))
        await addMemberships(deps, rows, false, call);
      else skip(rows);
      return { verdicts: rows.map(verdictOf) };
    },
  };
}

/** Creates the users who do not exist yet. Returns whether they may be stored, at the end. */
async function storeNew(
  { database, passwords }: ImportDeps,
  rows: readonly ImportRow[],
  batch: { batchId: string; mayStore: () => boolean },
  call: Call,
): Promise<boolean> {
  // A repeated import takes no locks.
  if (!rows.some(isNew)) return true;
  const hashes = await hashesOf(passwords, rows);
  return storeUsers(database, rows, { hashes, ...batch }, call);
}

/** Hashes of weak passwords that are made at the same time, so that sign-ins get their turns. */
const hashesAtOnce = 2;

/** The password hashes of new users as they are stored. */
async function hashesOf(passwords: Passwords, rows: readonly ImportRow[]): Promise<Hashes> {
  // A password that was set before the address was verified may be another person's.
  const waiting = rows.filter(
    (row) => isNew(row) && row.input.emailVerified && row.input.passwordHash !== '',
  );
  const hashes = new Map<ImportRow, string>();
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift())
      hashes.set(row, await passwords.adopt(row.input.passwordHash));
  };
  await Promise.all(Array.from({ length: hashesAtOnce }, work));
  return hashes;
}

/** Checks or makes the memberships of the rows, and refuses the rows whose memberships access refuses. */
async function addMemberships(
  { imports }: ImportDeps,
  rows: readonly ImportRow[],
  validateOnly: boolean,
  call: Call,
): Promise<void> {
  const rowMemberships = rows
    .filter((row) => !isRefused(row))
    .flatMap((row) =>
      row.input.tenants.map(({ tenant, roles, groups }, index) => ({
        row,
        index,
        membership: { userId: row.userId, tenant, roles, groups },
      })),
    );
  if (rowMemberships.length === 0) return;
  const memberships = rowMemberships.map(({ membership }) => membership);
  const { refusals } = await imports.addMembers(
    { memberships, validateOnly, importer: call.caller },
    call,
    { signal: call.signal },
  );
  for (const refusal of refusals) {
    const refused = rowMemberships[refusal.index];
    if (refused) refuse(refused.row, withMembership(refused.row.refusal, refused.index, refusal));
  }
}

/** The first refused membership of a user gives the code and the reason. */
function withMembership(
  before: ServiceError | undefined,
  index: number,
  refusal: RefusedMembership,
): ServiceError {
  const { code, reason, params } = before ?? refusal;
  const messages = [...(before?.messages ?? []), `Tenants[${index}]: ${refusal.message}`];
  // access sends the codes of ServiceErrors only.
  return new ServiceError(code as ErrorCode, isReason(reason) ? reason : '', messages, 0, params);
}

/** A call that imports all or none has imported none. */
function skip(rows: readonly ImportRow[]): void {
  for (const row of rows) if (isNew(row)) row.result = 'skipped';
}
