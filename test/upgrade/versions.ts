import { mkdirSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import type * as migrations from '@bailiwick/deploy/local/migrate.ts';
import { root } from '@bailiwick/deploy/local/paths.ts';
import type * as settings from '@bailiwick/deploy/settings.ts';
import type { Version } from '../support/harness.ts';
import { lastWords, run } from '../tools/go.ts';
import { makeOnce } from '../tools/make-once.ts';

// The previous version, from the repository's history, and the current one.

/**
 * Until there is a release: the commit that installations run, the last one with the migrations
 * that the baselines replaced.
 */
const previousCommit = 'ec3c71c1cefa774bed382b3b31006d8e39b96cf4';

/** Not below node_modules, where Node strips no types. */
const folder = path.join(root, '.local', `previous-${previousCommit.slice(0, 7)}`);
const installLimitMs = 4 * 60_000;

export type MigratingVersion = Version & { migrate(databaseUrl: string): Promise<void> };

/** The tree of the previous version, with its packages, or the reason why there is none. */
export async function findPrevious(): Promise<
  { tree: string; skip: false } | { tree?: never; skip: string }
> {
  try {
    await run('git', ['cat-file', '-e', `${previousCommit}^{tree}`], { cwd: root });
  } catch (error) {
    const skip = `NOT TESTED: an upgrade from the previous version, because its commit ${previousCommit.slice(0, 7)} is not in this clone: ${lastWords(error)}`;
    process.stderr.write(`\n${skip}\n`);
    return { skip };
  }
  await makeOnce(folder, takeTree);
  return { tree: folder, skip: false };
}

async function takeTree(target: string): Promise<void> {
  mkdirSync(target);
  const archive = path.join(path.dirname(target), 'tree.tar');
  await run('git', ['archive', '--output', archive, previousCommit], { cwd: root });
  await run('tar', ['-xf', archive, '-C', target]);
}

/** Installs a tree with its own bootstrap. The script after it only prints the tree's folders. */
export async function install(tree: string): Promise<void> {
  const env = { ...process.env, npm_config_prefer_offline: 'true' };
  await run(process.execPath, ['deploy/local/bootstrap.mjs', 'deploy/local/paths.ts'], {
    cwd: tree,
    env,
    timeout: installLimitMs,
  });
}

/** A version has its own settings and its own migrations. */
export async function openVersion(tree: string = root): Promise<MigratingVersion> {
  const { settingTables } = (await import(
    path.join(tree, 'deploy/settings.ts')
  )) as typeof settings;
  const { runMigrations } = (await import(
    path.join(tree, 'deploy/local/migrate.ts')
  )) as typeof migrations;
  const lines: string[] = [];
  const console = {
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
        console,
        AbortSignal.timeout(60_000),
      ).catch((error: unknown) => {
        throw new Error(`${String(error)}:\n${lines.join('\n')}`);
      }),
  };
}
