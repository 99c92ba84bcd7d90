import type { Mark } from '@bailiwick/contract';
import { unavailable } from '@bailiwick/errors';
import type { Database, Statement } from '@bailiwick/store';

// The statements of idempotent calls. None of them waits for a row that a handler's transaction has
// locked: repetitions of a call in progress must not occupy connections.

/**
 * Longer than any call takes. After this time an attempt without a change is abandoned, and a
 * repetition runs.
 */
const leaseSeconds = 60;
const keptHours = 24;

export type Attempt = { id: string; attempt: string };
export type StoredCall = {
  request: string;
  changed: boolean;
  answer: string | null;
  running: boolean;
};

const insertCall: Statement<unknown, [id: string, attempt: string, request: string]> = {
  name: 'shared.idempotent_call_insert',
  // "on conflict" would wait for an open transaction that has marked the row, so the row is looked
  // up first.
  text: `insert into idempotent_call (id, attempt, request, claimed_at) select $1::text, $2, $3, now()
         where not exists (select from idempotent_call where id = $1::text)
         on conflict (id) do nothing returning id`,
};

const takeOver: Statement<
  unknown,
  [id: string, attempt: string, request: string, leaseSeconds: number, keptHours: number]
> = {
  name: 'shared.idempotent_call_take_over',
  text: `update idempotent_call set attempt = $2, request = $3, changed = false, failed = null, answer = null, claimed_at = now()
         where id = (
           select id from idempotent_call
           where id = $1 and (claimed_at < now() - make_interval(hours => $5)
             or (not changed and answer is null and claimed_at < now() - make_interval(secs => $4)))
           for update skip locked
         ) returning id`,
};

const findCall: Statement<StoredCall, [id: string, leaseSeconds: number, keptHours: number]> = {
  name: 'shared.idempotent_call_find',
  text: `select request, changed, answer, answer is null and failed is null and claimed_at >= now() - make_interval(secs => $2) as running
         from idempotent_call where id = $1 and claimed_at >= now() - make_interval(hours => $3)`,
};

/** Claims a call for an attempt. Undefined = claimed; otherwise the existing call with this id. */
export async function claimCall(
  database: Database,
  { id, attempt }: Attempt,
  request: string,
): Promise<StoredCall | 'busy' | undefined> {
  if ((await database.query(insertCall, [id, attempt, request])).length > 0) return undefined;
  const [stored] = await database.query(findCall, [id, leaseSeconds, keptHours]);
  if (stored && (stored.running || stored.changed || stored.answer !== null)) return stored;
  if ((await database.query(takeOver, [id, attempt, request, leaseSeconds, keptHours])).length > 0)
    return undefined;
  // Another repetition released the call or took it over between these statements.
  return 'busy';
}

const mark: Statement<unknown, [id: string, attempt: string]> = {
  name: 'shared.idempotent_call_mark',
  text: 'update idempotent_call set changed = true where id = $1 and attempt = $2 returning id',
};

/** The mark of an attempt, which fails if another attempt has taken over. */
export const markOf =
  ({ id, attempt }: Attempt): Mark =>
  async (query) => {
    if ((await query(mark, [id, attempt])).length === 0)
      throw unavailable('the call took too long and was repeated meanwhile');
  };

const storeAnswer: Statement<never, [id: string, attempt: string, answer: string]> = {
  name: 'shared.idempotent_call_store',
  text: 'update idempotent_call set answer = $3 where id = $1 and attempt = $2',
};

export async function storeCall(
  database: Database,
  { id, attempt }: Attempt,
  answer: string,
): Promise<void> {
  await database.query(storeAnswer, [id, attempt, answer]);
}

const releaseUnchanged: Statement<never, [id: string, attempt: string]> = {
  name: 'shared.idempotent_call_release',
  text: 'delete from idempotent_call where id = $1 and attempt = $2 and not changed',
};

const markFailed: Statement<never, [id: string, attempt: string]> = {
  name: 'shared.idempotent_call_mark_failed',
  text: 'update idempotent_call set failed = true where id = $1 and attempt = $2 and changed and answer is null',
};

/**
 * Ends an attempt that has no response to store. If it changed nothing, the call is deleted and a
 * repetition runs again. Otherwise a repetition fails at once, since the response is lost.
 */
export async function endWithoutAnswer(
  database: Database,
  { id, attempt }: Attempt,
): Promise<void> {
  await database.query(releaseUnchanged, [id, attempt]);
  await database.query(markFailed, [id, attempt]);
}

const batch = 1000;

const sweepExpired: Statement<unknown, [keptHours: number, batch: number]> = {
  name: 'shared.idempotent_call_sweep',
  text: `delete from idempotent_call where id in (
           select id from idempotent_call where claimed_at < now() - make_interval(hours => $1)
           order by claimed_at limit $2 for update skip locked
         ) returning id`,
};

/** Deletes expired calls, in batches. */
export async function sweepCalls(database: Database, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && (await database.query(sweepExpired, [keptHours, batch])).length === batch);
}
