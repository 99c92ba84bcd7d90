import { randomBytes } from 'node:crypto';
import process from 'node:process';
import pg from 'pg';

/** A database for a peer on the server of the run, which is removed with the run. */
export async function createEmptyDatabase(): Promise<string> {
  const url = new URL(process.env['BAILIWICK_TEST_DATABASE'] ?? '');
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const name = `peer_${randomBytes(6).toString('hex')}`;
  await client.query(`create database ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}
