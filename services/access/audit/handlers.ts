import { sessionProof } from '@bailiwick/contract';
import { type KeyRing } from '@bailiwick/keys';
import { record } from '@bailiwick/outbox';
import type { Call, Handlers, Pager } from '@bailiwick/pipeline';
import type {
  Audit,
  AuditExportRequest,
  AuditFilter,
  AuditListRequest,
  AuditVerifyRequest,
} from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import { type Database, onPool, type Transaction } from '@bailiwick/store';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { noSession } from '../decisions/session.ts';
import { createAnchor, openAnchor } from './anchor.ts';
import { canonical } from './chain.ts';
import { toAuditEntry } from './entities.ts';
import { contentTypes, type Format, textOf } from './export.ts';
import { listEntries } from './list/list.ts';
import { type EntryFilter, entriesAfter, entriesBy, findChain } from './queries.ts';
import { verifyChain } from './verify.ts';

type Deps = { database: Database; pager: Pager; keyRing: KeyRing };

/** Rows of an export page, plus one that shows whether there is a next page. */
const exportPage = 1001;

export function auditHandlers(deps: Deps): Handlers<typeof Audit> {
  const { database, pager, keyRing } = deps;
  return {
    list: (request, call) => listPage(pager, request, call),

    async listByUser({ userId, tenant, page, filter: input }, { operation, caller, allowedBy }) {
      const filter = readFilter(input);
      const binding = [operation.name, userId, tenant, bindingOf(filter)];
      const query = pager.read(page, binding);
      // A tenant that demands SSO or a second factor hides its entries from sessions without it,
      // even from the user who caused them.
      const proof = allowedBy?.kind === 'self' ? sessionProof(caller) : noSession;
      const rows = await entriesBy(database, userId, { ...query, ...proof, filter, tenant });
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.id);
      return { page: { items: items.map(toAuditEntry), nextCursor } };
    },

    export: (request, call) => exportPart(deps, request, call),
    verify: (request, call) => verifyPart(deps, request, call),

    async anchor({ tenant }) {
      const { head } = await findChain(onPool(database), tenant);
      return { anchor: createAnchor(keyRing, { ...head, tenant, at: new Date() }) };
    },
  };
}

async function listPage(
  pager: Pager,
  { tenant, page, filter: input, oldestFirst }: AuditListRequest,
  { operation, reader }: Call,
) {
  const filter = readFilter(input);
  const order = oldestFirst ? ['oldest first'] : [];
  const binding = [operation.name, tenant, bindingOf(filter), ...order];
  const query = pager.read(page, binding);
  const { rows, last } = await listEntries(reader, tenant, { ...query, oldestFirst, filter });
  const reached = last === undefined ? '' : String(last);
  const { items, nextCursor } = pager.cut(rows, query, binding, (row) => String(row.seq), reached);
  return { page: { items: items.map(toAuditEntry), nextCursor } };
}

/** One page of an export, and the cursor of the next. Records the start of the export. */
async function exportPart(
  { database, pager }: Deps,
  { tenant, format: formatName, filter: filterInput, cursor }: AuditExportRequest,
  call: Call,
) {
  const format: Format = formatName === 'csv' ? 'csv' : 'ndjson';
  const filter = readFilter(filterInput);
  const binding = [call.operation.name, tenant, format, bindingOf(filter)];
  // The cursor is "<last entry sent>:<last entry when the export began>", so an export ends
  // while new entries arrive.
  const { after } = pager.read({ limit: 1, cursor }, binding);
  const [seq, upTo] =
    after === ''
      ? [0, (await findChain(onPool(database), tenant)).head.seq]
      : after.split(':').map(Number);
  if (after === '')
    await database.transaction({ call, tenant: null }, async (tx) =>
      recordExport(tx, tenant, format),
    );
  const rows = await entriesAfter(database, tenant, seq ?? 0, {
    upTo: upTo ?? 0,
    limit: exportPage,
    filter,
  });
  const { items, nextCursor } = pager.cut(
    rows,
    { limit: exportPage, after },
    binding,
    (row) => `${row.seq}:${upTo}`,
  );
  return {
    data: textOf(items, format, after === ''),
    contentType: contentTypes[format],
    nextCursor,
  };
}

/** Verifies one part of a tenant's chain, and returns the cursor of the next. */
async function verifyPart(
  { database, pager, keyRing }: Deps,
  { tenant, cursor, anchor: anchorText }: AuditVerifyRequest,
  { operation }: Call,
) {
  const anchor = anchorText === '' ? undefined : openAnchor(keyRing, tenant, anchorText);
  const binding = [operation.name, tenant, ...(anchor ? [`${anchor.seq}:${anchor.hash}`] : [])];
  const { after } = pager.read({ limit: 1, cursor }, binding);
  const [seq, hash = ''] = after.split(':');
  const from = after === '' ? undefined : { seq: Number(seq), hash };
  const { checked, problems, last, isEnd, anchorState } = await verifyChain(
    database,
    keyRing,
    tenant,
    { after: from, anchor },
  );
  const nextCursor = isEnd ? '' : pager.cursorAt(`${last.seq}:${last.hash}`, binding);
  const anchored = anchor && {
    anchorState,
    anchorSeq: anchor.seq,
    anchoredAt: timestampFromDate(anchor.at),
  };
  return {
    valid: problems.length === 0,
    checked,
    problems,
    nextCursor,
    seq: last.seq,
    hash: last.hash,
    ...anchored,
  };
}

function recordExport(tx: Transaction, tenant: string, format: Format): void {
  record(tx, {
    tenant,
    type: 'audit.exported',
    data: null,
    targets: [{ Type: 'audit', ID: tenant, Name: format }],
  });
}

/** An empty field does not restrict. */
function readFilter(filter: AuditFilter | undefined): EntryFilter {
  return {
    actions: listOrNull(filter?.actions),
    actorIds: listOrNull(filter?.actorIds),
    targetIds: listOrNull(filter?.targetIds),
    ip: filter?.ip || null,
    result: filter?.result || null,
    from: filter?.from ? timestampDate(filter.from) : null,
    to: filter?.to ? timestampDate(filter.to) : null,
    ...(filter?.actionPrefix && { actionPrefix: filter.actionPrefix }),
    ...(filter?.operationPrefix && { operationPrefix: filter.operationPrefix }),
  };
}

const listOrNull = (items: readonly string[] | undefined) =>
  items && items.length > 0 ? [...items] : null;

const bindingOf = (filter: EntryFilter) =>
  canonical({ ...filter, from: filter.from?.toISOString(), to: filter.to?.toISOString() });
