import { isLow, readDiskSpace } from '@bailiwick/process';

type Options = {
  folder: string;
  say(line: string): void;
  read?: typeof readDiskSpace;
};

const everyMs = 30_000;

/**
 * Says when little room is left on the disk of the data folder, and when there is more again: one
 * line for each change. PostgreSQL and NATS, whose data is there, end or refuse changes on a full
 * disk.
 */
export function createDiskWatch({ folder, say, read = readDiskSpace }: Options) {
  let wasLow = false;
  let timer: NodeJS.Timeout | undefined;

  async function check(): Promise<void> {
    const space = await read(folder).catch(() => undefined); // not every file system says it
    if (!space) return;
    const low = isLow(space, wasLow);
    if (low === wasLow) return;
    wasLow = low;
    const room = `${gibibytes(space.free)} of ${gibibytes(space.size)} GiB are free on the disk of ${folder}`;
    say(
      low
        ? `warning: only ${room}, and database and broker stop when it is full: free some space, or stop, move the folder to another disk and start with BAILIWICK_DATA=<folder> npm start`
        : `${room}: enough again`,
    );
  }

  return {
    check,
    /** Checks again and again until `stop`. */
    start(): void {
      timer = setInterval(() => void check(), everyMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}

const gibibytes = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1);
