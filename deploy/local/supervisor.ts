import { setTimeout as sleep } from 'node:timers/promises';

type Server = { port: number; exited: Promise<void>; stop(): Promise<void>; kill(): Promise<void> };

export type Supervised<T> = { first: T; stop(): Promise<void>; kill(): Promise<void> };

const longestPauseMs = 5000;

/** Starts a server, and restarts it on the same port if it ends unexpectedly. */
export async function supervise<T extends Server>(
  what: string,
  start: (port?: number) => Promise<T>,
  say: (line: string) => void,
): Promise<Supervised<T>> {
  const first = await start();
  const stopping = new AbortController();
  let current: T = first;

  const watch = async (): Promise<void> => {
    for (let pause = 200; ; ) {
      await current.exited;
      if (stopping.signal.aborted) return;
      say(`${what} ended unexpectedly; starting it again`);
      try {
        current = await start(first.port);
        pause = 200;
        if (stopping.signal.aborted) return await current.stop();
      } catch (error) {
        say(String(error));
        await sleep(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
        pause = Math.min(pause * 2, longestPauseMs);
      }
    }
  };
  const watching = watch();

  const end = async (how: 'stop' | 'kill'): Promise<void> => {
    stopping.abort();
    await current[how]();
    await watching;
  };
  return { first, stop: () => end('stop'), kill: () => end('kill') };
}
