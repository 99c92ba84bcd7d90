import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

// The command-line tool as a shell runs it, with a home folder of its own.

const main = path.resolve(import.meta.dirname, '../../packages/cli/main.ts');

export type Outcome = { code: number; stdout: string; stderr: string };
type RunOptions = {
  input?: string;
  env?: Record<string, string>;
  program?: readonly [command: string, ...args: string[]];
  /** Gets all of the standard error so far, each time that the tool has written to it. */
  watch?: (stderr: string) => void;
};

export type Cli = ReturnType<typeof createCli>;

/**
 * A user of the tool. `url` is the address of Bailiwick, `token` the one in the user's environment.
 */
export function createCli(url: string, token = '') {
  const home = mkdtempSync(path.join(tmpdir(), 'bailiwick-cli-'));
  const running = new Set<ChildProcess>();
  return {
    home,
    sessionsFile: path.join(home, 'bailiwick/sessions.json'),

    /** Kills what runs, as an operator or the host does. */
    kill(): void {
      for (const child of running) child.kill('SIGKILL');
    },

    /** Ends what still runs, such as a sign-in that waits for its user. */
    remove() {
      for (const child of running) child.kill();
      rmSync(home, { recursive: true, force: true });
    },

    run(
      args: readonly string[],
      { input = '', env = {}, program = [process.execPath, main], watch }: RunOptions = {},
    ): Promise<Outcome> {
      const [command, ...before] = program;
      const own = {
        XDG_CONFIG_HOME: home,
        BAILIWICK_URL: url,
        BAILIWICK_TOKEN: token,
        BROWSER: '',
      };
      const child = spawn(command, [...before, ...args], {
        env: { ...process.env, NODE_OPTIONS: '', ...own, ...env },
      });
      running.add(child);
      let stdout = '';
      let stderr = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
        stderr += chunk;
        watch?.(stderr);
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      return new Promise((resolve, reject) => {
        child.once('error', reject);
        child.once('close', (code) => {
          running.delete(child);
          resolve({ code: code ?? -1, stdout, stderr });
        });
      });
    },
  };
}
