import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const tasks = '/proc/self/task';

/**
 * Gives the threads that hash passwords the CPU's leftovers: while sign-ins saturate it, calls that only read go on at
 * nearly their own pace. A thread's priority is Linux's: elsewhere nothing happens. Nor on Deno, which hashes on threads
 * that look like those of its event loop. To be called once hashing has begun, since the threads do not exist before.
 * Returns how many threads were found.
 */
export function lowerHashThreads(): number {
  try {
    const threads = readdirSync(tasks).filter(
      (thread) => readFileSync(`${tasks}/${thread}/comm`, 'utf8').trim() === 'libuv-worker',
    );
    for (const thread of threads)
      setPriority(Number(thread), constants.priority.PRIORITY_BELOW_NORMAL);
    return threads.length;
  } catch {
    return 0; // no Linux, or a sandbox that does not let a process renice itself: slower under load, and right all the same
  }
}
