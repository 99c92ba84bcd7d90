import { eventually, type Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';

/**
 * The only writes of a denied call: its audit entry and its count, rate limits and the last use. Caches
 * of rights renew their leases meanwhile, and a revocation changes nothing but them.
 */
const bookkeeping = [
  'outbox',
  'audit_entry',
  'daily_count',
  'hourly_count',
  'audit_head',
  'audit_checkpoint',
  'rate_window',
  'login_failure',
  'known_network',
  'revocation',
  'revocation_holder',
];
const lastUse = `- 'last_seen_at' - 'last_used_at'`;
/** The service looks for the records of claimed domains meanwhile. */
const lookUps = `- 'last_checked_at' - 'next_check_at' - 'failure_reason' - 'updated_at'`;

export type Fingerprint = Record<string, string>;

/** The tables in which two fingerprints differ. */
export const changedIn = (before: Fingerprint, now: Fingerprint): string[] =>
  Object.keys(now).filter((name) => now[name] !== before[name]);

/** A fingerprint of every table of every schema, and of the outbox rows with events or tasks. */
export async function fingerprint(stack: Stack): Promise<Fingerprint> {
  const tables = await rowsOf<{ name: string }>(
    stack,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname in ('identity', 'access', 'sso', 'notifications') and tablename <> all ($1) and tablename not like '%migration%' order by 1`,
    [bookkeeping],
  );
  const whole = tables.map(({ name }) =>
    part(
      name,
      `select (to_jsonb(t) ${lastUse} ${name === 'sso.domain' ? lookUps : ''})::text as row from ${name} t`,
    ),
  );
  const put = ['identity', 'access', 'sso', 'notifications'].map((schema) =>
    part(
      `${schema}.outbox`,
      `select id as row from ${schema}.outbox where event is not null or tasks <> '[]'`,
    ),
  );
  const rows = await rowsOf<{ name: string; hash: string }>(
    stack,
    [...whole, ...put].join(' union all '),
  );
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
}

const part = (name: string, rows: string) =>
  `select '${name}' as name, coalesce(md5(string_agg(row, ',' order by row)), '') as hash from (${rows}) x`;

/** Waits until the work that creating the world started is done. */
export async function waitUntilQuiet(stack: Stack): Promise<void> {
  let last = '';
  await eventually('the store to settle', async () => {
    const [unpublished] = await rowsOf<{ count: number }>(
      stack,
      `select (select count(*) from identity.outbox where published_at is null) + (select count(*) from access.outbox where published_at is null)
        + (select count(*) from notifications.outbox where published_at is null) as count`,
    );
    const now = JSON.stringify([
      await fingerprint(stack),
      await rowsOf(stack, 'select count(*) from access.audit_entry'),
    ]);
    const same = now === last && Number(unpublished?.count) === 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 200));
    return same;
  });
}
