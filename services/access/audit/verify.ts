import { type KeyRing, openForPurpose, sealForPurpose } from '@bailiwick/keys';
import { type Database, onPool, type Run } from '@bailiwick/store';
import { chainStart, type Entry, entryOf, type Link, linkOf } from './chain.ts';
import type { AuditRow } from './entities.ts';
import { type Checkpoint, entriesAfter, entriesBehind, findChain } from './queries.ts';

// Recomputes a tenant's chain and reports where it differs from the stored one.

export type Problem = {
  seq: number;
  id: string;
  kind: 'changed' | 'missing' | 'reordered';
  message: string;
};

/**
 * The result for an anchor: entries up to it are unchanged, or dropped by retention; '' = no result
 * yet, or a problem.
 */
type AnchorState = 'unchanged' | 'dropped' | '';

export type Findings = {
  checked: number;
  problems: Problem[];
  last: Link;
  isEnd: boolean;
  anchorState: AnchorState;
};

/** The link to continue after, and the link in the anchor. */
type Question = { after?: Link | undefined; anchor?: Link | undefined };

const perCall = 20_000;
const batch = 1000;
const maxProblems = 100;

/**
 * Verifies the entries after `after`, or from the oldest one kept. Entries added meanwhile are not
 * checked.
 */
export async function verifyChain(
  database: Database,
  ring: KeyRing,
  tenant: string,
  { after, anchor }: Question,
): Promise<Findings> {
  const { head, checkpoint } = await findChain(onPool(database), tenant);
  const problems: Problem[] = [];
  let last = after ?? (checkpoint ? startAt(ring, tenant, checkpoint, problems) : chainStart);
  const start = last.seq;
  const anchored = anchorCheck(anchor, problems);
  if (!after) anchored.begin(last);
  for (let rows: AuditRow[] = []; last.seq - start < perCall && last.seq < head.seq; ) {
    rows = await entriesAfter(database, tenant, last.seq, { upTo: head.seq, limit: batch });
    for (const row of rows) {
      last = checkEntry(row, last, problems);
      anchored.pass(last);
    }
    if (rows.length === 0) break;
  }
  if (anchor && anchor.seq > head.seq) problems.push(missing(head.seq + 1, anchor.seq));
  const isEnd = last.seq - start < perCall || last.seq >= head.seq;
  if (isEnd && last.seq < head.seq) problems.push(missing(last.seq + 1, head.seq));
  else if (isEnd && last.hash !== head.hash)
    problems.push(
      changed(last.seq, '', 'the last entry differs from the one that was written last'),
    );
  return {
    checked: last.seq - start,
    problems: problems.slice(0, maxProblems),
    last,
    isEnd,
    anchorState: problems.length === 0 ? anchored.state() : '',
  };
}

/**
 * Recomputes the oldest entries up to `upTo`. Returns the problems found until the first bad batch.
 */
export async function verifyStart(
  run: Run,
  ring: KeyRing,
  tenant: string,
  upTo: Link,
): Promise<Problem[]> {
  const { checkpoint } = await findChain(run, tenant);
  const problems: Problem[] = [];
  let last = checkpoint ? startAt(ring, tenant, checkpoint, problems) : chainStart;
  for (let rows: AuditRow[] = []; last.seq < upTo.seq && problems.length === 0; ) {
    rows = await entriesBehind(run, tenant, last.seq, { upTo: upTo.seq, limit: batch });
    if (rows.length === 0) break;
    for (const row of rows) last = checkEntry(row, last, problems);
  }
  if (problems.length === 0 && (last.seq !== upTo.seq || last.hash !== upTo.hash))
    problems.push(missing(last.seq + 1, upTo.seq));
  return problems;
}

/** Compares the chain with an anchor when the chain passes the anchor's sequence number. */
function anchorCheck(anchor: Link | undefined, problems: Problem[]) {
  let state: AnchorState = '';
  const pass = ({ seq, hash }: Link): void => {
    if (seq !== anchor?.seq) return;
    if (hash === anchor.hash) state = 'unchanged';
    else
      problems.push(
        changed(
          seq,
          '',
          'the entry at the sequence number of the anchor differs from the anchored one',
        ),
      );
  };
  return {
    pass,
    /** The kept chain begins here, after the entries that retention has dropped. */
    begin(start: Link): void {
      if (anchor && anchor.seq < start.seq) state = 'dropped';
      else pass(start);
    },
    state: () => state,
  };
}

/** The link where the kept chain begins. Reports a problem if its signature is not valid. */
function startAt(
  ring: KeyRing,
  tenant: string,
  { seq, hash, signature }: Checkpoint,
  problems: Problem[],
): Link {
  if (!isSigned(ring, tenant, { seq, hash }, signature))
    problems.push(
      changed(seq, '', 'the checkpoint before the kept entries was not signed by this service'),
    );
  return { seq, hash };
}

function checkEntry(row: AuditRow, last: Link, problems: Problem[]): Link {
  const { seq, id, prevHash, hash } = row;
  if (seq <= last.seq)
    problems.push({ seq, id, kind: 'reordered', message: 'two entries have this sequence number' });
  else if (seq > last.seq + 1) problems.push(missing(last.seq + 1, seq - 1));
  else if (prevHash !== last.hash)
    problems.push({
      seq,
      id,
      kind: 'reordered',
      message: 'the previous entry differs from the one that it was chained to',
    });
  if (linkOf({ seq: seq - 1, hash: prevHash }, entryIn(row)).hash !== hash)
    problems.push(changed(seq, id, 'the entry was altered'));
  return { seq, hash };
}

const changed = (seq: number, id: string, message: string): Problem => ({
  seq,
  id,
  kind: 'changed',
  message,
});
const missing = (from: number, to: number): Problem => ({
  seq: from,
  id: '',
  kind: 'missing',
  message: `the entries ${from} to ${to} are missing`,
});

/** Rebuilds the entry of a row as it was hashed. */
function entryIn(row: AuditRow): Entry {
  return entryOf({
    ID: row.id,
    Tenant: row.tenant,
    OccurredAt: new Date(row.occurredAt).toISOString(),
    Action: row.action,
    Operation: row.operation,
    Result: row.result as Entry['Result'],
    Code: row.code,
    ActorType: row.actorType,
    ActorID: row.actorId,
    CredentialID: row.credentialId,
    Targets: row.targets,
    Permission: row.permission,
    GrantID: row.grantId,
    IP: row.ip,
    UserAgent: row.userAgent,
    RequestID: row.requestId,
    TraceID: row.traceId,
    Changes: row.changes,
  });
}

const purpose = 'audit-checkpoint';
const textOf = ({ seq, hash }: Link) => `${seq}:${hash}`;

/** Signs the link up to which entries are dropped, with the key ring that only services have. */
export const signCheckpoint = (ring: KeyRing, tenant: string, link: Link): string =>
  sealForPurpose(ring, purpose, textOf(link), [tenant]);

/** Whether a key of the ring has signed that link. */
export function isSigned(ring: KeyRing, tenant: string, link: Link, signature: string): boolean {
  try {
    return openForPurpose(ring, purpose, signature, [tenant]) === textOf(link);
  } catch {
    return false; // sealed with another key or for another tenant, or not sealed
  }
}
