import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { takePort } from '../ports.ts';

/** The redis-server of this host, where there is one. */
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

/** A Redis that writes what it is told to a file and has it on the disk within a second, as the broker of the bench does at best. */
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
  // It knows of no parent, and would outlive a bench that fails.
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
