import { createWriteStream, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sessionOptions } from '@bailiwick/store';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { schemas } from '../migrate.ts';
import {
  type BackupHeader,
  endLine,
  headerLine,
  installationFiles,
  readArguments,
  runTool,
} from './backup-file.ts';
import { lockFolder } from './lock.ts';
import { UsageError } from './options.ts';
import { startPostgres } from './postgres.ts';

// npm run backup FILE: writes the local start's database and keys into one file, while it runs or
// is stopped. The embedded PostgreSQL ships no pg_dump, so this copies every table in one snapshot
// as data-only SQL.

async function main(): Promise<void> {
  const { dataDir, file, isFlagged: mayReplace } = readArguments('backup');
  if (!existsSync(path.join(dataDir, 'postgres/cluster'))) {
    throw new Error(
      `${dataDir} holds no database of npm start. To back up a PostgreSQL named by DATABASE_URL, use pg_dump: docs/operations.md`,
    );
  }
  if (existsSync(file) && !mayReplace)
    throw new UsageError(
      `${file} exists: name another file, or use npm run backup -- --force FILE`,
    );
  const server = await openServer(dataDir);
  const client = new pg.Client({ connectionString: server.url, options: sessionOptions });
  // Write to another name first: an interrupted backup must not replace an earlier one.
  const unfinished = `${file}.${process.pid}`;
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    const output = createWriteStream(unfinished, { flags: 'wx', mode: 0o600 });
    await pipeline(
      Readable.from(dump(client, await describe(client, dataDir)), { objectMode: false }),
      createGzip(),
      output,
    );
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
    await client.end();
    await server.close();
  }
  process.stdout.write(
    `${file} holds the database and the keys of ${dataDir}: protect it like them\n`,
  );
}

type Server = { url: string; close(): Promise<void> };

/** The server of a running start, or a server that is started for the backup. */
async function openServer(dataDir: string): Promise<Server> {
  const folder = path.join(dataDir, 'postgres');
  let unlock: () => void;
  try {
    unlock = lockFolder(dataDir);
  } catch (error) {
    const pidFile = path.join(folder, 'cluster/postmaster.pid');
    if (!existsSync(pidFile)) throw error;
    const port = readFileSync(pidFile, 'utf8').split('\n')[3] ?? '';
    const password = readFileSync(path.join(folder, 'password'), 'utf8').trim();
    return {
      url: `postgres://postgres:${password}@127.0.0.1:${port}/bailiwick`,
      close: async () => {},
    };
  }
  const postgres = await startPostgres({
    dataDir: folder,
    logFile: path.join(dataDir, 'logs/postgres.log'),
    log: () => {},
  });
  const close = async () => {
    await postgres.stop();
    unlock();
  };
  return { url: new URL('/bailiwick', postgres.url).href, close };
}

async function describe(client: pg.Client, dataDir: string): Promise<BackupHeader> {
  const migrations: BackupHeader['Migrations'] = {};
  for (const { service } of schemas) {
    const { rows } = await client.query<{ name: string }>(
      `select name from ${service}.migration order by id`,
    );
    migrations[service] = rows.map(({ name }) => name);
  }
  const files = Object.fromEntries(
    installationFiles(dataDir).map((name) => [
      name,
      readFileSync(path.join(dataDir, name), 'utf8'),
    ]),
  );
  const { rows } = await client.query<{ id: string }>(
    // The column is missing before the first start of this version.
    `select coalesce(to_jsonb(w) ->> 'installation', '') as id from identity.schema_window w`,
  );
  return {
    Format: 1,
    CreatedAt: new Date().toISOString(),
    Migrations: migrations,
    Installation: rows[0]?.id ?? '',
    Files: files,
  };
}

/** The file's text: the header, then a COPY statement with the rows of each table. */
async function* dump(client: pg.Client, header: BackupHeader): AsyncGenerator<Buffer | string> {
  yield headerLine(header);
  const { rows } = await client.query<{ name: string; columns: string }>(tablesQuery, [
    schemas.map(({ service }) => service),
  ]);
  for (const { name, columns } of rows) {
    yield `COPY ${name} (${columns}) FROM stdin;\n`;
    yield* client.query(copyTo(`copy ${name} (${columns}) to stdout`)) as AsyncIterable<Buffer>;
    yield '\\.\n';
  }
  yield endLine;
}

/**
 * Every table with rows of its own, partitions included, except those that record the migrations:
 * migrating fills them.
 */
const tablesQuery = `
  select format('%I.%I', n.nspname, c.relname) as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relkind = 'r' and n.nspname = any ($1) and c.relname not in ('migration', 'schema_window')
  group by n.nspname, c.relname
  order by n.nspname, c.relname`;

await runTool(main);
