import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects once what loading the program has left: a third of a process's memory, which V8 would let lie until its heap has
 * grown to what the machine allows. From then on the heap is given room by what is in use. Node alone has a way to ask for it.
 */
export async function collectLoaded(): Promise<void> {
  if ('deno' in process.versions) return;
  const { Session } = await import('node:inspector/promises');
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.collectGarbage');
  session.disconnect();
}

/** The bodies of nearly all calls are smaller: the objects that they become make V8 collect in time. */
const largePieceBytes = 1024;

/**
 * Returns a counter of received pieces that collects garbage after each `everyBytes` of large ones.
 * V8 counts little of the memory that buffers have outside its heap, and would let 100 MB pile up.
 * Does nothing on Deno, which cannot ask for a collection.
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
