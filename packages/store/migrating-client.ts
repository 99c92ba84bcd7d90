import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '@bailiwick/process';
import { Client } from 'pg';
import { connectionOf, sessionOptions } from './connect.ts';
import { connectionProblem } from './database-problem.ts';

const pauseMs = 2000;

/** Connects for migrations and commands. `waitSeconds`: how long a database may not respond. */
export async function connect(url: string, waitSeconds: number, log: Log): Promise<Client> {
  for (const deadline = Date.now() + waitSeconds * 1000; ; await sleep(pauseMs)) {
    const client = new Client({
      ...connectionOf(url),
      application_name: 'bailiwick-migrate',
      options: `${sessionOptions} -c lock_timeout=5000`,
      connectionTimeoutMillis: 8000,
    });
    try {
      await client.connect();
      return client;
    } catch (error) {
      const problem = connectionProblem(error, url);
      if (Date.now() >= deadline) throw problem;
      log.warn('waiting for the database', { problem: problem.message });
    }
  }
}

const lockWaitMs = 30 * 60_000;

/**
 * Lets no other run migrate the schema until the connection ends. Asks again and again instead of
 * waiting inside a statement: `create index concurrently` waits for every older statement of the
 * database.
 */
export async function lockMigrations(client: Client, service: string): Promise<void> {
  for (const deadline = Date.now() + lockWaitMs; ; await sleep(250)) {
    const { rows } = await client.query<{ isLocked: boolean }>(
      'select pg_try_advisory_lock(hashtext($1)) as "isLocked"',
      [`bailiwick migrate ${service}`],
    );
    if (rows[0]?.isLocked) return;
    if (Date.now() >= deadline) throw new Error(`another process still migrates ${service}`);
  }
}
