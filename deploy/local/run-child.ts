import { spawn } from 'node:child_process';
import process from 'node:process';

/**
 * Runs a program in place of this one: on the same terminal, with the same signals and exit code.
 */
export function runInPlace(command: string, args: readonly string[], env: NodeJS.ProcessEnv): void {
  const child = spawn(command, args, { stdio: 'inherit', env });
  // The terminal's Ctrl-C reaches the child directly.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('error', (error) => {
    process.stderr.write(`${command} cannot be started: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (code) => process.exit(code ?? 1));
}
