import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { operatorExists, operatorLinkSettings } from '../settings.ts';
import { environmentOf, type Wiring } from './environment.ts';
import { isLoopbackOnly } from './loopback.ts';
import { root } from './paths.ts';

/**
 * Whether the start may print a link that makes an operator. It prints it to a person at a terminal
 * only, and not to a log, and only if no other machine reaches the installation.
 */
export const mayShowLink = (
  { isTTY = false }: Partial<Pick<NodeJS.WriteStream, 'isTTY'>>,
  wiring: Pick<Wiring, 'host' | 'publicUrl'>,
  environment: NodeJS.ProcessEnv,
): boolean => isTTY && isLoopbackOnly(wiring, environment);

/**
 * The link that makes the first operator; undefined if there is an operator. If the link cannot be
 * made, it is undefined too, and `say` prints the reason. A child process makes it, so that the modules of the database do not stay in
 * the supervisor's memory.
 */
export async function makeOperatorLink(
  wiring: Wiring,
  inherited: NodeJS.ProcessEnv,
  say: (line: string) => void,
): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(root, 'deploy/operator-link.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf('access', operatorLinkSettings, wiring, inherited),
  });
  const ended = new Promise<number | null>((resolve) =>
    child.once('error', () => resolve(null)).once('close', resolve),
  );
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const code = await ended;
  if (code === 0) return output.trim();
  // Without a code, a signal ended it: the start is stopping.
  if (code !== operatorExists && code !== null)
    say(`could not make the link for the first operator: ${(output + errors).trim()}`);
  return undefined;
}
