import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { root } from './paths.ts';

/**
 * Builds the console that the gateway serves, unless it is current, in a child process, so that the
 * bundler does not stay in this one's memory. The product works without a console: a build that
 * fails is only reported.
 */
export async function buildConsole(say: (line: string) => void): Promise<void> {
  const script = join(root, 'console/build.ts');
  try {
    await promisify(execFile)(process.execPath, [script, '--if-changed'], { cwd: root });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    say(`the console could not be built: ${(stderr || message).trim()}`);
  }
}
