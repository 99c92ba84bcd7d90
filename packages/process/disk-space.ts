import { statfs } from 'node:fs/promises';

/** The space of a disk, in bytes. `free`: for users other than root. */
export type DiskSpace = { free: number; size: number };

/** Reads the space of the disk that holds a folder. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

const gibibyte = 1024 ** 3;
/** Always little: PostgreSQL alone keeps a write-ahead log of about this size. */
const little = gibibyte;
/** Never little, whatever share of a large disk it is. */
const enough = 20 * gibibyte;
/** So much more must be free until a low disk counts as well again: a log line for each change. */
const recovery = 1.2;

/** Whether a disk has little room left: less than 1 GiB, or less than a tenth of it and 20 GiB. */
export function isLow({ free, size }: DiskSpace, wasLow = false): boolean {
  const counted = wasLow ? free / recovery : free;
  return counted < little || counted < Math.min(size / 10, enough);
}
