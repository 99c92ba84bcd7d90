import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { takePort } from '@bailiwick/test/support/ports.ts';

/** The redis-server of this host, if there is one. */
export function findRedis(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, 'redis-server')).find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * A Redis that appends to a file and syncs it every second, which is at best the durability of the
 * bench's broker.
 */
export async function startRedis(program: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-redis-'));
  const port = await takePort();
  const settings = {
    port,
    bind: '127.0.0.1',
    dir: folder,
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
  };
  const server = spawn(
    program,
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  // It does not notice its parent's end, and would outlive a failed bench.
  process.once('exit', () => server.kill());
  await new Promise<void>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    server.stdout.on(
      'data',
      (text: Buffer) => text.includes('Ready to accept connections') && resolve(),
    );
  });
  return {
    port,
    async stop(): Promise<void> {
      const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
