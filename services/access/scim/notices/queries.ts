import type { PageQuery } from '@bailiwick/pipeline';
import type { Database, Run, Statement } from '@bailiwick/store';

export type NoticeRow = {
  id: string;
  resourceType: string;
  attribute: string;
  message: string;
  resourceId: string;
  firstAt: Date | string;
  lastAt: Date | string;
};

// A directory repeats its requests for each person: a notice is written once an hour. The order of
// the rows is that of their locks.
const write: Statement<
  { isNew: boolean },
  [
    tenant: string,
    resourceType: string,
    ids: string[],
    attributes: string[],
    messages: string[],
    resourceIds: string[],
  ]
> = {
  name: 'access.scim_notice_write',
  text: `insert into scim_notice as n (tenant, id, resource_type, attribute, message, resource_id, first_at, last_at)
    select $1, s.id, $2, s.attribute, s.message, s.resource_id, now(), now()
    from unnest($3::text[], $4::text[], $5::text[], $6::text[]) as s (id, attribute, message, resource_id)
    where not exists (select from scim_notice k where k.tenant = $1 and k.resource_type = $2
      and k.attribute = s.attribute and k.message = s.message and k.resource_id = s.resource_id
      and k.last_at > now() - interval '1 hour')
    order by s.attribute, s.message, s.resource_id
    on conflict (tenant, resource_type, attribute, message, resource_id) do update set last_at = excluded.last_at
    returning (xmax = 0) as "isNew"`,
};

type New = { id: string; attribute: string; message: string; resourceId: string };

/** Writes notices, and returns whether one of them is new. */
export async function writeNotices(
  run: Run,
  tenant: string,
  resourceType: string,
  notices: readonly New[],
): Promise<boolean> {
  const rows = await run(write, [
    tenant,
    resourceType,
    notices.map(({ id }) => id),
    notices.map(({ attribute }) => attribute),
    notices.map(({ message }) => message),
    notices.map(({ resourceId }) => resourceId),
  ]);
  return rows.some(({ isNew }) => isNew);
}

/** A directory that sends ever new names does not fill the table. */
const drop: Statement<never, [tenant: string]> = {
  name: 'access.scim_notice_drop',
  text: `delete from scim_notice where tenant = $1 and id in (
    select id from scim_notice where tenant = $1 order by last_at desc, id desc offset 500)`,
};

export const dropOldNotices = (run: Run, tenant: string): Promise<unknown> => run(drop, [tenant]);

const list: Statement<NoticeRow, [tenant: string, after: string, limit: number]> = {
  name: 'access.scim_notice_list',
  text: `select id, resource_type as "resourceType", attribute, message, resource_id as "resourceId",
      first_at as "firstAt", last_at as "lastAt"
    from scim_notice where tenant = $1 and id > $2 order by id limit $3`,
};

export const noticesOf = (
  database: Database,
  tenant: string,
  { after, limit }: PageQuery,
): Promise<NoticeRow[]> => database.query(list, [tenant, after, limit]);
