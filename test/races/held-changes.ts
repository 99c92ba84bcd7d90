import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from '../support/harness.ts';
import { rowsOf, whileLocked } from '../support/store.ts';

// Holds changes of chosen credentials just before their commit: every change writes a row of the
// outbox, and a trigger makes the row wait for a lock of the test.

const gate = 4711;
const schemas = ['identity', 'access', 'sso', 'notifications'] as const;

/** Installs the triggers. The stack's database must belong to the test. */
export async function installGate(stack: Stack): Promise<void> {
  await rowsOf(stack, 'create table public.held (credential text primary key)');
  await rowsOf(
    stack,
    `create function public.hold() returns trigger security definer language plpgsql as $$ begin
       if exists (select from public.held where credential = new.audit::jsonb ->> 'CredentialID') then
         perform pg_advisory_xact_lock_shared(${gate});
       end if;
       return new;
     end $$`,
  );
  for (const schema of schemas)
    await rowsOf(
      stack,
      `create trigger hold before insert on ${schema}.outbox for each row execute function public.hold()`,
    );
}

export type EndState = { isHeld: boolean; isAnswered: boolean };

/**
 * Makes a call of a credential, ends its right while the change is held, and lets it go on once the
 * ending has been answered.
 */
export async function endWhileHeld<T>(
  stack: Stack,
  credential: string,
  { call, end }: { call: () => Promise<T>; end: () => Promise<unknown> },
): Promise<{ answer: T } & EndState> {
  await rowsOf(stack, 'insert into public.held values ($1)', [credential]);
  const race = await whileLocked(stack, `select pg_advisory_lock(${gate})`, [], async () => {
    let isAnswered = false;
    const answer = call().finally(() => (isAnswered = true));
    let isHeld = false;
    while (!isHeld && !isAnswered) {
      await sleep(20);
      const waiting = await rowsOf(
        stack,
        `select 1 from pg_locks where locktype = 'advisory' and not granted and objid = ${gate}`,
      );
      isHeld = waiting.length > 0;
    }
    const before = isAnswered;
    if (isHeld) await end();
    return { promise: answer, isHeld, isAnswered: before };
  });
  const { promise, ...ended } = race;
  return { answer: await promise, ...ended };
}

/** The committed changes of a credential. */
export const changesOf = (stack: Stack, credential: string) =>
  rowsOf<{ type: string }>(
    stack,
    schemas
      .map(
        (schema) =>
          `select type from ${schema}.outbox where audit::jsonb ->> 'CredentialID' = $1 and type <> ''`,
      )
      .join(' union all '),
    [credential],
  );
