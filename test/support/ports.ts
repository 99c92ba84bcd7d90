import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { freePort } from '@bailiwick/deploy/local/ports.ts';

// Test files run in parallel, and a process that restarts leaves its port free for a moment. So
// test files claim ports, and a claimed port is not chosen again, even if it is free.

const folder = path.join(tmpdir(), 'bailiwick-test-ports');
const ports = new Set<number>();

/** Claims a free port that no other test file has claimed, until this process ends. */
export async function takePort(): Promise<number> {
  for (;;) {
    const port = await freePort();
    if (claim(port)) return port;
  }
}

function claim(port: number): boolean {
  const file = path.join(folder, String(port));
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
  } catch {
    if (isHeld(file)) return false;
    writeFileSync(file, String(process.pid));
  }
  if (ports.size === 0) process.once('exit', releaseAll);
  ports.add(port);
  return true;
}

/** Whether the process that claimed the port still runs, which may be this one. */
function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

function releaseAll(): void {
  for (const port of ports) rmSync(path.join(folder, String(port)), { force: true });
}
