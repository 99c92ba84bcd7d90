import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
