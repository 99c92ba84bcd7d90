import { existsSync, globSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { readOptions, UsageError } from './options.ts';

// The format of a backup of the local start: gzip of data-only SQL that psql can read too. The
// first line names the migrations of the tables, and holds the keys that the data cannot be read
// without.

export type BackupHeader = {
  Format: 1;
  /** RFC 3339. */
  CreatedAt: string;
  /** The names of each schema's applied migrations, in order. */
  Migrations: Record<string, string[]>;
  /** The installation's id. Backups of older versions have none. */
  Installation?: string;
  /** Keys and tokens, by their path in the data folder. */
  Files: Record<string, string>;
};

const headerPrefix = '-- bailiwick backup ';
/** The keys and tokens of an installation, below its data folder. */
const installationPatterns = [
  'platform-key',
  'worker-token',
  'keyring',
  'keys/*.key',
  'keys/public/*.pub',
];

/** The last line. A file without it is incomplete. */
export const endLine = '-- end of the backup\n';

export const headerLine = (header: BackupHeader): string =>
  `${headerPrefix}${JSON.stringify(header)}\n`;

/** @throws if the line is not the header of a backup of this version */
export function readHeader(line: string): BackupHeader {
  if (!line.startsWith(headerPrefix)) throw new Error('this is not a backup of npm run backup');
  const header = JSON.parse(line.slice(headerPrefix.length)) as BackupHeader;
  if (header.Format !== 1)
    throw new Error(
      'the backup was made by a newer version of Bailiwick: restore it with that version',
    );
  const unexpected = Object.keys(header.Files).find(
    (name) => !installationPatterns.some((pattern) => path.matchesGlob(name, pattern)),
  );
  if (unexpected !== undefined)
    throw new Error(`the backup contains an unexpected file: ${unexpected}`);
  return header;
}

/** The keys and tokens that an installation has. */
export const installationFiles = (dataDir: string): string[] =>
  globSync(installationPatterns, { cwd: dataDir }).sort();

/** The flag of each tool: to replace an earlier file, and to make a copy with an identity of its own. */
const flags = { backup: '--force', restore: '--copy' } as const;

/**
 * The data folder, whether the tool's flag is given, and the file named on the command line,
 * relative to the folder where npm was called.
 */
export function readArguments(tool: 'backup' | 'restore') {
  const parameters = process.argv.slice(2);
  const isFlagged = parameters[0] === flags[tool];
  const [file, ...more] = isFlagged ? parameters.slice(1) : parameters;
  if (file === undefined || more.length > 0)
    throw new UsageError(`usage: npm run ${tool} -- [${flags[tool]}] FILE`);
  const { dataDir, databaseUrl, containers } = readOptions([], process.env);
  if (databaseUrl !== undefined || containers) {
    throw new UsageError(
      `npm run ${tool} is for the embedded PostgreSQL: unset DATABASE_URL and BAILIWICK_INFRA, or use pg_dump (docs/operations.md)`,
    );
  }
  return { dataDir, isFlagged, file: path.resolve(process.env['INIT_CWD'] ?? '.', file) };
}

/** Runs a command-line tool: a failure is one line and an exit code. */
export async function runTool(main: () => Promise<void>): Promise<void> {
  try {
    await main();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}

/** Whether the data folder already holds an installation. */
export const isInstalled = (dataDir: string): boolean =>
  ['postgres', 'nats'].some((name) => existsSync(path.join(dataDir, name))) ||
  installationFiles(dataDir).length > 0;
