import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { freePort } from '@bailiwick/deploy/local/ports.ts';

// Test files run side by side, and a process that is being replaced leaves its port free for a moment: a port that one file
// has chosen is not chosen by another, whether or not anybody listens on it.

const folder = path.join(tmpdir(), 'bailiwick-test-ports');
const taken = new Set<number>();

/** A port of this host that is free and that no other test file has chosen. It is given back when this process ends. */
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
  if (taken.size === 0) process.once('exit', giveBack);
  taken.add(port);
  return true;
}

/** Whether whoever has chosen it still runs. This process has chosen it for something else. */
function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    return false;
  }
}

function giveBack(): void {
  for (const port of taken) rmSync(path.join(folder, String(port)), { force: true });
}
