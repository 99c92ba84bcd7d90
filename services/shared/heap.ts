import process from 'node:process';

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
