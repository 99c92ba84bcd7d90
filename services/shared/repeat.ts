import type { Log } from './log.ts';
import type { Background } from './service.ts';

type Repeated = {
  everyMs: number;
  log: Log;
  /** What the log says where a turn fails. */
  failed: string;
  /** One turn. A long one asks now and then whether it shall stop. */
  work: (isStopped: () => boolean) => Promise<unknown>;
};

/** Work that a service does again and again beside its calls, never twice at once. A turn that fails is made up for by the next. */
export function repeat({ everyMs, log, failed, work }: Repeated): Background {
  return () => {
    let stopped = false;
    let turn: Promise<unknown> | undefined;
    const timer = setInterval(() => {
      turn ??= work(() => stopped)
        .catch((error: unknown) => log.warn(failed, { error }))
        .finally(() => (turn = undefined));
    }, everyMs);
    return async () => {
      stopped = true;
      clearInterval(timer);
      await turn;
    };
  };
}
