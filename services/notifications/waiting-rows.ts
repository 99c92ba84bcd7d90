import { type Broker } from '@bailiwick/broker';
import type { Log } from '@bailiwick/process';

// The jobs for waiting rows (due tasks, parked tasks, failing endpoints) sleep until a row is due. A
// process that writes such a row wakes them through the broker, which the jobs need anyway.

/** The shortest time between two checks of a job, and between two announcements of a process. */
const leastMs = 250;
/** The longest time between two checks: a killed process may not have announced its rows. */
const mostMs = 5000;
const subject = 'bailiwick.waiting';

/** Announces rows of the queue that have changed, to the jobs of all processes. */
export type Announcements = ReturnType<typeof createAnnouncements>;

export function createAnnouncements(broker: Pick<Broker, 'signal' | 'listen'>) {
  const listeners: Array<() => void> = [];
  let timer: NodeJS.Timeout | undefined;
  let isRepeated = false;

  function announce(): void {
    isRepeated = timer !== undefined;
    if (timer) return;
    broker.signal(subject, '');
    timer = setTimeout(() => {
      timer = undefined;
      if (isRepeated) announce();
    }, leastMs).unref();
  }

  return {
    announce,
    onAnnounced(listener: () => void): void {
      listeners.push(listener);
      if (listeners.length > 1) return;
      // A broker that is closed before it ever connects announces nothing.
      broker.listen(subject, () => listeners.forEach((each) => each())).catch(() => {});
    },
  };
}

type Job = {
  announcements: Pick<Announcements, 'onAnnounced'>;
  log: Log;
  /** The log message for a failed check. */
  failed: string;
  /** Handles the rows that are due. Returns the time until the next one, in milliseconds. */
  check: (isStopped: () => boolean) => Promise<number>;
};

/** Repeats a check when a row is due or announced. The returned function stops it. */
export function watchRows({ announcements, log, failed, check }: Job): () => Promise<void> {
  let stopped = false;
  let startedAt = 0;
  let isAnnounced = false;
  let timer: NodeJS.Timeout | undefined;
  let resume = () => {};

  function resumeIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(resume, Math.max(0, ms, startedAt + leastMs - performance.now()));
  }
  const wait = (ms: number) =>
    new Promise<void>((resolve) => {
      resume = resolve;
      resumeIn(isAnnounced ? 0 : Math.min(ms, mostMs));
    });

  announcements.onAnnounced(() => {
    isAnnounced = true;
    if (!stopped) resumeIn(0);
  });

  const loop = (async () => {
    while (!stopped) {
      startedAt = performance.now();
      isAnnounced = false;
      const nextMs = await check(() => stopped).catch((error: unknown) => {
        log.warn(failed, { error });
        return 0;
      });
      if (!stopped) await wait(nextMs);
    }
  })();

  return async () => {
    stopped = true;
    clearTimeout(timer);
    resume();
    await loop;
  };
}
