import { createId } from '@bailiwick/contract';
import { newName } from './domains.ts';
import type { Stack } from './harness.ts';
import { rowsOf } from './store.ts';

/** The columns of a domain that a test sets. */
export type DomainFields = {
  name?: string;
  status?: string;
  capture?: string;
  due?: boolean;
  over?: boolean;
  failedDays?: number;
  /** Seconds since the claim; without it the claim is six days old. */
  age?: number;
};

/** Inserts a domain into the store, and returns its name. */
export async function putDomain(
  at: Pick<Stack, 'databaseUrl'>,
  tenant: string,
  {
    name = newName(),
    status = 'verified',
    capture = 'off',
    due = false,
    over = false,
    failedDays = 0,
    age = 6 * 86_400,
  }: DomainFields = {},
): Promise<string> {
  await rowsOf(
    at,
    `insert into sso.domain (tenant, id, name, status, capture, challenge, challenge_expires_at, next_check_at, failed_days, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 'abc', now() + case when $6 then -interval '1 second' else interval '7 days' - $9 * interval '1 second' end, case when $7 then now() end, $8, now(), now())`,
    [tenant, createId('dom'), name, status, capture, over, due, failedDays, age],
  );
  return name;
}
