import { once } from 'node:events';
import { createReadStream, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { createLog } from '@bailiwick/process';
import { fromBaseline, migrate, sessionOptions } from '@bailiwick/store';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { startNewInstallation } from '../admin.ts';
import { schemas } from '../migrate.ts';
import {
  type BackupHeader,
  endLine,
  isInstalled,
  readArguments,
  readHeader,
  runTool,
} from './backup-file.ts';
import { lockFolder } from './lock.ts';
import { ensureDatabase, startPostgres } from './postgres.ts';
import { installationFile } from './secrets.ts';

// npm run restore FILE: restores the data folder to the state of the backup. The broker starts
// empty, and the outboxes publish again the rows that they still hold (docs/operations.md,
// "Restore a backup"). With --copy the folder becomes an installation of its own, which can run beside
// the original.

type Lines = AsyncIterator<Buffer, undefined>;

async function main(): Promise<void> {
  const { dataDir, isFlagged: isCopy, file } = readArguments('restore');
  if (isInstalled(dataDir)) {
    throw new Error(
      `${dataDir} already holds an installation: move it away, or name another folder with BAILIWICK_DATA`,
    );
  }
  const lines = linesOf(
    createReadStream(file)
      .on('error', () => {})
      .compose(createGunzip()) as AsyncIterable<Buffer>,
  );
  const header = readHeader(await nextLine(lines));
  const schemas = schemasOf(header);
  const files: Record<string, string> = isCopy
    ? { keyring: header.Files['keyring'] ?? '' }
    : { ...header.Files };
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lockFolder(dataDir);
  const folder = path.join(dataDir, 'postgres');
  try {
    const postgres = await startPostgres({
      dataDir: folder,
      logFile: path.join(dataDir, 'logs/postgres.log'),
      log: () => {},
    });
    try {
      const url = await ensureDatabase(postgres.url, 'bailiwick');
      // Creates the tables in the backup's version. The next start runs the later migrations, which
      // also change these rows.
      const log = createLog('restore', () => {});
      let installation = header.Installation || undefined;
      for (const schema of schemas)
        installation = await migrate(schema, { url, installation }, log);
      files[installationFile] = installation ?? '';
      await load(url, lines, header);
      if (isCopy) files[installationFile] = await startNewInstallation({ DATABASE_URL: url });
    } finally {
      await postgres.stop();
    }
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true, mode: 0o700 });
      writeFileSync(path.join(dataDir, name), content, { mode: 0o600 });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    for (const name of Object.keys(files)) rmSync(path.join(dataDir, name), { force: true });
    throw error;
  } finally {
    unlock();
  }
  process.stdout.write(`${dataDir} is restored to ${header.CreatedAt}: run npm start\n`);
}

/** The services' schemas with the backup's migrations. */
function schemasOf({ Migrations }: BackupHeader) {
  return schemas.map((schema) => {
    const names = fromBaseline(schema, Migrations[schema.service] ?? []);
    const migrations = schema.migrations.filter(({ name }) => names.includes(name));
    if (migrations.length < names.length)
      throw new Error(
        'the backup was made by a newer version of Bailiwick: restore it with that version',
      );
    return { ...schema, migrations };
  });
}

/**
 * Copies all rows in one transaction, without foreign keys and triggers: the rows are one snapshot,
 * but ordered by table.
 */
async function load(url: string, lines: Lines, header: BackupHeader): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: sessionOptions });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('set local session_replication_role = replica');
    for (let line = await nextLine(lines); line !== endLine; line = await nextLine(lines)) {
      const [, table] = /^COPY ([\w".]+) \([\w", ]+\) FROM stdin;\n$/.exec(line) ?? [];
      if (table === undefined)
        throw new Error(`the backup contains an invalid line: ${line.slice(0, 80)}`);
      // The migrations have filled some tables, which the backup has with rows of its own.
      await client.query(`delete from only ${table}`);
      await copyRows(client, line.trimEnd().replace(/;$/, ''), lines);
    }
    await recordMigrations(client, header);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** Names the migrations of the backup, so that the version before the baselines can run on it too. */
async function recordMigrations(client: pg.Client, { Migrations }: BackupHeader): Promise<void> {
  for (const { service } of schemas) {
    await client.query(`delete from ${service}.migration`);
    await client.query(
      `insert into ${service}.migration (name)
       select name from unnest($1::text[]) with ordinality as applied (name, place) order by place`,
      [Migrations[service] ?? []],
    );
  }
}

async function copyRows(client: pg.Client, statement: string, lines: Lines): Promise<void> {
  const rows = client.query(copyFrom(statement));
  const end = finished(rows);
  // Awaited below. A failure between two rows must not end the process first.
  end.catch(() => {});
  for (let row = await next(lines); row.toString('latin1') !== '\\.\n'; row = await next(lines)) {
    if (!rows.write(row)) await Promise.race([once(rows, 'drain'), end]);
  }
  rows.end();
  await end;
}

const nextLine = async (lines: Lines): Promise<string> => (await next(lines)).toString();

async function next(lines: Lines): Promise<Buffer> {
  const { value, done } = await lines.next();
  if (done) throw new Error('the backup is incomplete: its end is missing');
  return value;
}

/**
 * Splits bytes into lines with their end, because node:readline also ends lines at characters that
 * a row may contain.
 */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      yield Buffer.concat([...rest, chunk.subarray(start, end + 1)]);
      rest = [];
      start = end + 1;
    }
    rest.push(chunk.subarray(start));
  }
  return undefined;
}

await runTool(main);
