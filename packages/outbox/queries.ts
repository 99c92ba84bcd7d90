import { revocationText, type Statement } from '@bailiwick/store';
import type { Task } from './tasks.ts';

// The statements on the outbox, of the recorder, the relay and the loss detector.

/** The columns of rows to insert. */
export type RowValues = [
  ids: string[],
  forTenants: string[],
  types: string[],
  events: Array<string | null>,
  audits: Array<string | null>,
  traceparents: string[],
  createdAt: Date[],
];

/** Inserts rows, also as a part of another statement. */
export const insertText = `insert into outbox (id, for_tenant, type, event, audit, tasks, traceparent, created_at)
         select id, for_tenant, type, event, audit, '[]', traceparent, created_at
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
           as row (id, for_tenant, type, event, audit, traceparent, created_at)`;

export const insertRows: Statement<never, RowValues> = { name: 'outbox.insert', text: insertText };

export const insertRecords: Statement<never, [...RowValues, tasks: string[], revoked: string[]]> = {
  name: 'outbox.insert_records',
  text: `with revoked as (${revocationText('$9')})
         insert into outbox (id, for_tenant, type, event, audit, tasks, traceparent, created_at)
         select id, for_tenant, type, event, audit, tasks::jsonb, traceparent, created_at
         from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::timestamptz[], $8::text[])
           as row (id, for_tenant, type, event, audit, traceparent, created_at, tasks)`,
};

/** The age of the oldest row that waits, in seconds. */
export const oldestAge: Statement<{ age: number }, []> = {
  name: 'outbox.oldest',
  text: 'select extract(epoch from now() - created_at)::float8 as age from outbox where published_at is null order by id limit 1',
};

const marking = `update outbox o set published_at = now(), stream_seq = p.seq
  from jsonb_to_recordset($1::jsonb) as p (id text, seq bigint) where o.id = p.id`;

export const mark: Statement<never, [published: string]> = {
  name: 'outbox.mark',
  text: marking,
};

// Another relay may have published a row at the same time: the broker drops the second message.
export const markFresh: Statement<never, [published: string]> = {
  name: 'outbox.mark_fresh',
  text: `${marking} and o.published_at is null`,
};

/**
 * Rows that a process may still publish from its memory are left to it. The clock of a process may
 * differ: a row from the future counts as old.
 */
const isOld = `created_at not between now() - interval '1 second' and now() + interval '1 second'`;

export const oldRow: Statement<unknown, []> = {
  name: 'outbox.old',
  text: `select from outbox where published_at is null and ${isOld} limit 1`,
};

/** A row that waits, as the relay publishes it. */
export type Waiting = {
  id: string;
  for_tenant: string;
  type: string;
  event: string | null;
  audit: string;
  tasks: Task[];
  traceparent: string;
  /** The former sequence number of a row that is published again. */
  stream_seq: string | null;
};

/** `recent`: also rows that another process may hold in its memory. */
export const waitingRows: Statement<
  Waiting,
  [limit: number, skipped: readonly string[], recent: boolean]
> = {
  name: 'outbox.waiting',
  text: `select id, for_tenant, type, event, audit, tasks, traceparent, stream_seq from outbox
         where published_at is null and id <> all ($2::text[]) and ($3::boolean or ${isOld})
         order by id limit $1 for update skip locked`,
};

export const deleteOldRows: Statement<unknown, [limit: number]> = {
  name: 'outbox.delete_old',
  text: `delete from outbox where id = any (array (
           select id from outbox where published_at < now() - interval '24 hours' order by published_at limit $1)) returning 1`,
};

/** The last published rows, with their sequence numbers in the event stream. */
export const lastPublished: Statement<{ id: string; seq: string }, []> = {
  name: 'outbox.last_published',
  text: 'select id, stream_seq::int8 as seq from outbox where stream_seq is not null order by id desc limit 50',
};

export const time: Statement<{ now: string }, []> = { name: 'outbox.time', text: 'select now()' };

/** A published row, with its sequence number in the event stream. */
export type PublishedRow = { id: string; seq: string };
export type PublishedPage = Statement<PublishedRow, [from: string, limit: number]>;

/** Greater than any id, since ids begin with a letter. */
export const afterAll = '~';
export const fromOldest: PublishedPage = {
  name: 'outbox.oldest_published',
  text: 'select id, stream_seq as seq from outbox where published_at is not null and id > $1 order by id limit $2',
};
export const fromNewest: PublishedPage = {
  name: 'outbox.newest_published',
  text: 'select id, stream_seq as seq from outbox where published_at is not null and id < $1 order by id desc limit $2',
};

// stream_seq is kept, so that the row is published under a new message id: the broker may remember
// the old one. Rows that another replica has published since are left alone.
export const markUpTo: Statement<
  { count: number },
  [before: string | undefined, last: string, limit: number]
> = {
  name: 'outbox.mark_lost_up_to',
  text: `
  with lost as (
    update outbox set published_at = null where published_at < $1 and id in
      (select id from outbox where published_at < $1 and id <= $2 order by id desc limit $3) returning 1)
  select count(*)::int as count from lost`,
};

export const markFrom: Statement<
  { count: number },
  [before: string | undefined, first: string, overlap: string, limit: number]
> = {
  name: 'outbox.mark_lost_from',
  text: `
  with lost as (
    update outbox set published_at = null where published_at < $1 and id in
      (select id from outbox where published_at < $1
         and published_at >= (select coalesce(min(published_at), $1) from outbox where id >= $2) - $3::interval order by id limit $4) returning 1)
  select count(*)::int as count from lost`,
};
