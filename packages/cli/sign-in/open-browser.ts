import { spawn } from 'node:child_process';
import process from 'node:process';

/** Whether a browser of the user may open here: not over SSH, and not without a display. */
export function hasBrowser(): boolean {
  const { env, platform } = process;
  if (env['BROWSER']) return true;
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return false;
  return (
    platform === 'darwin' || platform === 'win32' || !!(env['DISPLAY'] || env['WAYLAND_DISPLAY'])
  );
}

/** Opens an address in the user's browser, if there is one. A failure is no error: the address is printed too. */
export function openBrowser(address: string): void {
  const [command, ...args] = opener();
  try {
    const child = spawn(command, [...args, address], { stdio: 'ignore', detached: true });
    child.on('error', () => {});
    child.unref();
  } catch {
    // The command cannot be started.
  }
}

function opener(): [command: string, ...args: string[]] {
  const { env, platform } = process;
  if (env['BROWSER']) return [env['BROWSER']];
  if (platform === 'darwin') return ['open'];
  // Without a shell, which would read the address.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
