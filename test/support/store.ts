import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Stack } from './harness.ts';

// Reads the store directly, with the superuser's connection.

/** Whether the caches are verified (docs/caches.md): a change that a test makes here revokes nothing. */
const isVerified = process.env['VERIFY_CACHES'] === 'true';
/** A little more than a lease: then no process has a value from before the change. */
const forgottenMs = 2200;

export async function rowsOf<Row extends pg.QueryResultRow>(
  { databaseUrl }: Pick<Stack, 'databaseUrl'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(text, [...values]);
    if (isVerified && /^\s*(update|delete|insert|with)\b/i.test(text)) await sleep(forgottenMs);
    return rows;
  } finally {
    await client.end();
  }
}

/** Holds the locks of a statement while `work` runs. */
export async function whileLocked<T>(
  { databaseUrl }: Pick<Stack, 'databaseUrl'>,
  text: string,
  values: readonly unknown[],
  work: () => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(text, [...values]);
    return await work();
  } finally {
    await client.end();
  }
}

export async function countOf(
  stack: Pick<Stack, 'databaseUrl'>,
  from: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const rows = await rowsOf<{ count: number }>(
    stack,
    `select count(*)::int as count from ${from}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

export type StoredEvent = {
  id: string;
  type: string;
  tenant: string;
  actor: { type: string; id: string };
  data: Record<string, unknown>;
  previous: Record<string, unknown>;
};

/** A service's events of a tenant, oldest first. They are stored before the call is answered. */
export async function eventsOf(
  stack: Pick<Stack, 'databaseUrl'>,
  service: 'access' | 'identity' | 'sso' | 'notifications',
  tenant: string,
): Promise<StoredEvent[]> {
  const rows = await rowsOf<{ event: string }>(
    stack,
    `select event from ${service}.outbox where for_tenant = $1 and event is not null order by created_at, id`,
    [tenant],
  );
  return rows.map(({ event }) => JSON.parse(event) as StoredEvent);
}

export async function eventTypesOf(
  stack: Pick<Stack, 'databaseUrl'>,
  service: 'access' | 'identity' | 'sso' | 'notifications',
  tenant: string,
): Promise<string[]> {
  return (await eventsOf(stack, service, tenant)).map(({ type }) => type);
}

/** All rows of a schema as text, with bytes in hexadecimal. */
export async function dumpOf(stack: Pick<Stack, 'databaseUrl'>, schema: string): Promise<string> {
  const tables = await rowsOf<{ name: string }>(
    stack,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1`,
    [schema],
  );
  const rows = await Promise.all(
    tables.map(({ name }) =>
      rowsOf<{ text: string }>(stack, `select t::text as text from ${name} t`),
    ),
  );
  return rows.flatMap((table) => table.map(({ text }) => text)).join('\n');
}

/** The text of all files below a folder, for logs or a broker's store. */
export function textBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map((file) => textOf(path.join(file.parentPath, file.name))).join('\n');
}

/** The text of a file, or '' if it does not exist: the broker replaces its files. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** Asserts that a user's newest row of a table of identity expires after this time. */
export async function assertExpiresIn(
  stack: Parameters<typeof rowsOf>[0],
  table: string,
  userId: string,
  seconds: number,
): Promise<void> {
  const [row] = await rowsOf<{ left: number }>(
    stack,
    `select extract(epoch from expires_at - now())::int as left from identity.${table} where user_id = $1
     order by expires_at desc limit 1`,
    [userId],
  );
  assert.ok(row && row.left <= seconds && row.left > seconds - 30, `${table}: ${row?.left} s`);
}
