import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Audit, AuditFilter } from '@bailiwick/proto/gen/bailiwick/access/v1/audit_pb.ts';
import type { Handlers } from '@bailiwick/shared/dispatch.ts';
import type { Database } from '@bailiwick/shared/orm.ts';
import type { Pager } from '@bailiwick/shared/page.ts';
import { toAuditEntry } from './entities.ts';
import { canonical } from './chain.ts';
import { entriesBy, entriesOf, type EntryFilter } from './queries.ts';

export function auditHandlers({ database, pager }: { database: Database; pager: Pager }): Handlers<typeof Audit> {
  return {
    async list({ tenant, page, filter: sent }, { operation }) {
      const filter = readFilter(sent);
      const binding = [operation.name, tenant, bindingOf(filter)];
      const query = pager.read(page, binding);
      const rows = await entriesOf(database, tenant, { after: query.after, limit: query.limit + 1, filter });
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => String(row.seq));
      return { page: { items: items.map(toAuditEntry), nextCursor } };
    },

    async listByUser({ userId, tenant, page, filter: sent }, { operation }) {
      const filter = readFilter(sent);
      const binding = [operation.name, userId, tenant, bindingOf(filter)];
      const query = pager.read(page, binding);
      const rows = await entriesBy(database, userId, tenant, { after: query.after, limit: query.limit + 1, filter });
      const { items, nextCursor } = pager.cut(rows, query, binding, (row) => row.id);
      return { page: { items: items.map(toAuditEntry), nextCursor } };
    },
  };
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
  };
}

const listOrNull = (items: readonly string[] | undefined) => (items && items.length > 0 ? [...items] : null);

const bindingOf = (filter: EntryFilter) => canonical({ ...filter, from: filter.from?.toISOString(), to: filter.to?.toISOString() });
