import { closeSync, mkdirSync, openSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Refusal } from './failure.ts';

/** A process that holds the lock for longer has ended without releasing it: no request takes that long. */
const staleMs = 60_000;
const pauseMs = 50;

/** Waits until no other process holds the lock, and takes it. Returns its release. */
export async function takeLock(file: string): Promise<() => void> {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  for (;;) {
    try {
      closeSync(openSync(file, 'wx', 0o600));
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST')
        throw new Refusal(`${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
    }
    const since = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > staleMs) rmSync(file, { force: true });
    else await wait(pauseMs);
  }
}
