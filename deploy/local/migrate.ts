import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { Console } from './console.ts';
import { root } from './paths.ts';

/**
 * Brings the schemas up to date, in a child process, so that the modules that migrating loads do
 * not stay in the supervisor's memory. Prints warnings, and everything if it fails.
 */
export async function runMigrations(
  env: NodeJS.ProcessEnv,
  console: Console,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, [join(root, 'deploy/migrate.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
    signal,
  });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line));
  const code = await new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  if (code === 0) {
    for (const line of lines)
      if (entryOf(line)?.['level'] === 'warn') console.relay('migrate', line);
    return;
  }
  const problem = problemIn(lines.at(-1) ?? '');
  if (problem !== undefined) throw new Error(problem);
  for (const line of lines) console.relay('migrate', line);
  throw new Error('migrating the database failed');
}

/** The message of a log line that says what to do; undefined for an error with a stack. */
function problemIn(line: string): string | undefined {
  const { level, message, error } = entryOf(line) ?? {};
  return level === 'error' && error === undefined && typeof message === 'string'
    ? message
    : undefined;
}

function entryOf(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
