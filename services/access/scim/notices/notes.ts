import { createId, timeOf } from '@bailiwick/contract';
import type { Handlers, Pager } from '@bailiwick/pipeline';
import type { Scim } from '@bailiwick/proto/gen/bailiwick/access/v1/scim_pb.ts';
import type { Database, Run } from '@bailiwick/store';
import type { IntakeNote } from '../protocol/intake.ts';
import { dropOldNotices, noticesOf, writeNotices } from './queries.ts';

type Subject = {
  tenant: string;
  resourceType: 'User' | 'Group';
  id: string;
  notes: readonly IntakeNote[];
};

/** Notes the parts of a request that are not stored, for the administrators of the tenant. */
export async function storeNotes(run: Run, { tenant, resourceType, id, notes }: Subject) {
  if (notes.length === 0) return;
  const single = new Map(notes.map((one) => [JSON.stringify(one), one]));
  const notices = [...single.values()].map(({ attribute, message }) => ({
    id: createId('scn'),
    attribute,
    message,
    resourceId: message === '' ? '' : id,
  }));
  if (await writeNotices(run, tenant, resourceType, notices)) await dropOldNotices(run, tenant);
}

export const listNotices =
  (database: Database, pager: Pager): Handlers<typeof Scim>['listNotices'] =>
  async ({ tenant, page }, { operation }) => {
    const binding = [operation.name, tenant];
    const query = pager.read(page, binding);
    const rows = await noticesOf(database, tenant, query);
    const notices = rows.map(({ firstAt, lastAt, ...notice }) => ({
      ...notice,
      firstAt: timeOf(firstAt),
      lastAt: timeOf(lastAt),
    }));
    return { page: pager.cut(notices, query, binding, ({ id }) => id) };
  };
