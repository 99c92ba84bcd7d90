import process from 'node:process';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * How much the heap may grow from one full collection to the next. V8 lets it grow by up to four
 * times on a machine with much memory, and then keeps what a burst has left.
 */
const growthPercent = 30;

/**
 * Bounds the growth of the heap. Set here and not by a command line, so that every way to start a
 * process has it: NODE_OPTIONS does not allow this option. Deno ignores it.
 */
export function boundHeap(): void {
  if (!('deno' in process.versions)) setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}

/**
 * Collects the garbage of loading the program once: a third of the process's memory, which V8 would
 * keep until its heap nears the machine's limit. Afterwards the heap grows by the memory in use.
 * Does nothing on Deno, which cannot request a collection.
 */
export async function collectLoaded(): Promise<void> {
  if ('deno' in process.versions) return;
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/** Bodies of nearly all calls are smaller; the objects made from them make V8 collect in time. */
const largePieceBytes = 1024;

/**
 * Returns a counter of received pieces that collects garbage after each `everyBytes` of large ones.
 * V8 does not count most of the memory that buffers hold outside its heap, and would let 100 MB
 * pile up. Does nothing on Deno, which cannot request a collection.
 */
export function createCollector(everyBytes: number): (piece: Uint8Array) => void {
  if ('deno' in process.versions) return () => undefined;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  let received = 0;
  return ({ length }) => {
    if (length < largePieceBytes) return;
    received += length;
    if (received < everyBytes) return;
    received = 0;
    collect();
  };
}

/** A part of the largest heap of the process, in bytes: half of a container's memory, up to 4 GiB. */
export const shareOfHeap = (part: number): number =>
  Math.floor(getHeapStatistics().heap_size_limit * part);
