import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type * as migrations from '@bailiwick/deploy/local/migrate.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import type * as settings from '@bailiwick/deploy/settings.ts';
import { lastWords, makeOnce, run } from '../chart/tools.ts';
import type { Version } from '../harness.ts';

// The version before this one, out of the repository's history, and this one.

/**
 * Until there is a release: the commit that installations run. Its schema has no pending memberships. `compatibleFrom` in every
 * service's schema.ts promises that it works on today's.
 */
const previousCommit = '26ed741fad7aec75d0136e3bfc38ae72623d895f';

/** Not below node_modules, where Node runs no TypeScript. */
const kept = path.join(root, '.local', `previous-${previousCommit.slice(0, 7)}`);
const installLimitMs = 4 * 60_000;

export type MigratingVersion = Version & { migrate(databaseUrl: string): Promise<void> };

/** The tree of the previous version, with its packages, or why there is none. */
export async function findPrevious(): Promise<
  { tree: string; skip: false } | { tree?: never; skip: string }
> {
  try {
    await run('git', ['cat-file', '-e', `${previousCommit}^{tree}`], { cwd: root });
  } catch (error) {
    const skip = `NOT TESTED: an upgrade from the previous version, since its commit ${previousCommit.slice(0, 7)} is not in this clone: ${lastWords(error)}`;
    process.stderr.write(`\n${skip}\n`);
    return { skip };
  }
  await makeOnce(kept, takeTree);
  return { tree: kept, skip: false };
}

async function takeTree(made: string): Promise<void> {
  mkdirSync(made);
  const archive = path.join(path.dirname(made), 'tree.tar');
  await run('git', ['archive', '--output', archive, previousCommit], { cwd: root });
  await run('tar', ['-xf', archive, '-C', made]);
}

/** Installs what a tree lacks, by its own bootstrap: the script after it only names the tree's folders. */
export async function install(tree: string): Promise<void> {
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  await run(process.execPath, ['deploy/local/bootstrap.mjs', 'deploy/local/paths.ts'], {
    cwd: tree,
    env,
    timeout: installLimitMs,
  });
}

/** A version is known by its own settings, and migrates by its own code. */
export async function openVersion(tree: string = root): Promise<MigratingVersion> {
  const { settingTables } = (await import(
    path.join(tree, 'deploy/settings.ts')
  )) as typeof settings;
  const { runMigrations } = (await import(
    path.join(tree, 'deploy/local/migrate.ts')
  )) as typeof migrations;
  const lines: string[] = [];
  const screen = {
    say: () => {},
    print: () => {},
    relay: (_: string, line: string) => void lines.push(line),
  };
  return {
    root: tree,
    settingTables,
    migrate: (databaseUrl) =>
      runMigrations(
        { PATH: process.env['PATH'], DATABASE_URL: databaseUrl },
        screen,
        AbortSignal.timeout(60_000),
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}:\n${lines.join('\n')}`);
      }),
  };
}
