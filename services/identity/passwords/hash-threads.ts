import { readdirSync, readFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

const tasks = '/proc/self/task';

/**
 * Lowers the priority of the threads that hash passwords, so that reads stay fast while sign-ins
 * saturate the CPU. Works on Linux only, and not on Deno, whose hash threads look like those of its
 * event loop. Call it after the first hash, which creates the threads. Returns the number of
 * threads found.
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
    return 0; // not Linux, or renicing is not permitted: slower under load, still correct
  }
}
